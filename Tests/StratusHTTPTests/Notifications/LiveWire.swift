import Foundation

/// A TCP connection that stays open, and the bytes that it has received.
final class LiveWire: @unchecked Sendable {
  struct Ended: Error {}

  private let descriptor: Int32
  private(set) var text = ""

  init(port: UInt16) throws { descriptor = try Wire(port: port).connected() }

  deinit { Foundation.close(descriptor) }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes {
      Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  func get(_ target: String, _ fields: String = "") {
    send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
  }

  /// Runs a blocking call on another thread. The server needs the threads of Swift's pool.
  func apart<Value: Sendable>(_ body: @escaping @Sendable (Int32) -> Value) async -> Value {
    let descriptor = descriptor
    return await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: body(descriptor)) }
    }
  }

  /// Closes both directions of the connection.
  func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Reads until the text has arrived. Removes and returns the bytes up to and including the text.
  ///
  /// - Throws: ``Ended`` if the server closes the connection earlier, and `POSIXError` if no byte
  ///   arrives before the time-out of the socket.
  @discardableResult
  func wait(for wanted: String) async throws -> String {
    while true {
      if let range = text.range(of: wanted) {
        let taken = String(text[..<range.upperBound])
        text = String(text[range.upperBound...])
        return taken
      }
      guard try await read() else { throw Ended() }
    }
  }

  /// Reads until the server closes the connection.
  func waitForEnd() async throws { while try await read() {} }

  /// Lets other tasks run for a moment.
  ///
  /// NB: do not use `Task.yield`. Tests that wait with it would occupy the few threads of Swift's
  /// pool that working tasks need.
  static func turn() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        poll(nil, 0, 2)
        continuation.resume()
      }
    }
  }

  private func read() async throws -> Bool {
    let descriptor = descriptor
    let bytes: [UInt8] = try await withCheckedThrowingContinuation { continuation in
      // NB: this call blocks. The server needs the threads of Swift's pool.
      DispatchQueue.global().async {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN {
          continuation.resume(throwing: POSIXError(.ETIMEDOUT))
        } else {
          continuation.resume(returning: Array(buffer.prefix(max(0, count))))
        }
      }
    }
    text += String(decoding: bytes, as: UTF8.self)
    return !bytes.isEmpty
  }
}
