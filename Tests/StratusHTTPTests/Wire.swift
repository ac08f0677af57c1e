import Foundation

/// A TCP connection that sends arbitrary bytes and reads the answer.
struct Wire: Sendable {
  let port: UInt16

  /// Sends bytes and reads until the server closes the connection.
  ///
  /// - Throws: `ETIMEDOUT` if the server neither reads, writes nor closes for ten minutes. The
  ///   limit is long because hundreds of tests share the server's threads.
  /// - Parameter leaves: whether to close the sending side after all bytes are sent.
  func exchange(_ bytes: [UInt8], leaves: Bool = false) async throws -> String {
    // NB: these calls block, so they must not run in Swift's pool: the server needs its threads.
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try talk(bytes, leaves: leaves) })
      }
    }
  }

  /// Sends bytes, reads the first byte of the answer, calls `look`, and closes the connection.
  func begin(_ bytes: [UInt8], look: () throws -> Void) async throws {
    let descriptor = try connected()
    defer { close(descriptor) }
    _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    let count = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        var first = [UInt8](repeating: 0, count: 1)
        continuation.resume(returning: recv(descriptor, &first, 1, 0))
      }
    }
    guard count == 1 else { throw POSIXError(.ECONNRESET) }
    try look()
  }

  private func talk(_ bytes: [UInt8], leaves: Bool) throws -> String {
    let descriptor = try connected()
    defer { close(descriptor) }
    var sent = 0
    while sent < bytes.count {
      // A server that refuses the request may close the connection, so that `send` fails. The loop
      // then ends without an error, because the test must still read the answer.
      let count = bytes[sent...].withUnsafeBytes {
        send(descriptor, $0.baseAddress, min($0.count, 65_536), Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EAGAIN { throw POSIXError(.ETIMEDOUT) }
      if count <= 0 { break }
      sent += count
    }
    if leaves { shutdown(descriptor, Int32(SHUT_WR)) }
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EAGAIN { throw POSIXError(.ETIMEDOUT) }
      if count <= 0 { break }
      received += buffer.prefix(count)
    }
    return String(decoding: received, as: UTF8.self)
  }

  func connected() throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXError(.EIO) }
    var patience = timeval(tv_sec: 600, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else {
      close(descriptor)
      throw POSIXError(.ECONNREFUSED)
    }
    return descriptor
  }
}
