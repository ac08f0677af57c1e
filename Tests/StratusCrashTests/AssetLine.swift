import Foundation

/// One HTTP request over a connection that the test can close after any byte.
///
/// The methods block their thread. A caller runs them with ``apart(_:)``.
struct AssetLine {
  struct Broken: Error {}

  private let descriptor: Int32

  /// Connects to a server on this machine.
  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Broken() }
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
      Foundation.close(descriptor)
      throw Broken()
    }
  }

  func close() { Foundation.close(descriptor) }

  /// Sends as many bytes as the connection accepts. A killed server accepts none.
  func send(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, min($0.count, 65_536), Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Checks up to this many times, without waiting, whether an answer has arrived.
  func glance(times: Int) {
    var buffer = [UInt8](repeating: 0, count: 1)
    for _ in 0..<times where recv(descriptor, &buffer, 1, Int32(MSG_DONTWAIT | MSG_PEEK)) > 0 {
      return
    }
  }

  /// Waits until a byte has arrived. The byte can still be read with ``answer()``.
  func waitForByte() throws {
    var buffer = [UInt8](repeating: 0, count: 1)
    if recv(descriptor, &buffer, 1, Int32(MSG_PEEK)) <= 0 { throw Broken() }
  }

  /// Reads until the server closes the connection, and returns the status and the body.
  func answer() throws -> (status: Int, body: [UInt8]) {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 262_144)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0 { throw Broken() }
      if count == 0 { break }
      received += buffer.prefix(count)
    }
    let end = Array("\r\n\r\n".utf8)
    guard let place = received.firstRange(of: end),
      let line = String(decoding: received.prefix(32), as: UTF8.self).split(separator: " ")
        .dropFirst().first, let status = Int(line)
    else { throw Broken() }
    return (status, Array(received[place.upperBound...]))
  }

  /// Runs a blocking function on another thread, and waits for its result.
  static func apart<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
    }
  }

  /// Returns the head of a request.
  static func head(_ method: String, _ path: String, _ fields: [String]) -> [UInt8] {
    let lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1", "Connection: close"] + fields
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// Sends a request without a body and waits for the answer.
  static func ask(_ method: String, _ path: String, port: UInt16) throws -> [UInt8] {
    let line = try AssetLine(port: port)
    defer { line.close() }
    line.send(head(method, path, [])[...])
    let (status, body) = try line.answer()
    guard status == 200 else { throw Broken() }
    return body
  }
}
