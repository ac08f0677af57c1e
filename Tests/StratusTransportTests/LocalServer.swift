import Foundation

/// A server that handles one connection at a time. A test writes its answers byte by byte.
final class LocalServer: Sendable {
  final class Client: Sendable {
    private let descriptor: Int32
    let head: String

    init(_ descriptor: Int32) {
      self.descriptor = descriptor
      head = Self.head(from: descriptor)
    }

    deinit { close(descriptor) }

    /// Reads a request with its body, and returns the head.
    private static func head(from descriptor: Int32) -> String {
      var text = ""
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while true {
        let parts = text.split(
          separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, parts[1].utf8.count >= bodyLength(parts[0]) {
          return parts[0] + "\r\n\r\n"
        }
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count <= 0 { return text }
        text += String(decoding: buffer.prefix(count), as: UTF8.self)
      }
    }

    private static func bodyLength(_ head: Substring) -> Int {
      let line = head.lowercased().split(separator: "\r\n").first {
        $0.hasPrefix("content-length:")
      }
      return line.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
    }

    /// Waits for the next request on the connection and returns its head.
    func nextHead() async -> String {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { [self] in
          continuation.resume(returning: Self.head(from: descriptor))
        }
      }
    }

    func say(_ text: String) {
      let bytes = Array(text.utf8)
      _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Sends a text on another thread, so that the caller does not wait for the client.
    func sendInThread(_ text: String) {
      Thread.detachNewThread { [self] in say(text) }
    }

    /// Sends a text again and again until the client disconnects.
    func sendForever(_ text: String) {
      Thread.detachNewThread { [self] in
        let bytes = Array(text.utf8)
        while send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 {}
      }
    }

    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Waits until the client has disconnected. Returns true if the client has sent nothing more.
    func isLeft() async -> Bool {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { [descriptor] in
          var byte: UInt8 = 0
          continuation.resume(returning: recv(descriptor, &byte, 1, 0) <= 0)
        }
      }
    }
  }

  struct Failure: Error {}

  /// The time-out in seconds of requests that a test answers. It is long, because on a busy machine
  /// a test may wait a long time for a free thread.
  static let patience = 600.0

  private let descriptor: Int32
  let port: UInt16

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    descriptor = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listens = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, pointer, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard listens else { throw Failure() }
  }

  deinit { close(descriptor) }

  /// Waits for the next connection and reads the head of its request.
  func accepted() async throws -> Client {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { [self] in
        let client = accept(descriptor, nil, nil)
        if client < 0 {
          continuation.resume(throwing: Failure())
        } else {
          continuation.resume(returning: Client(client))
        }
      }
    }
  }
}
