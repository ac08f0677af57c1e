import Glibc

extension Exchange {
  private static let pieceBytes = 1 << 18

  /// Sends a file as the body of a POST request, one piece at a time.
  ///
  /// - Returns: the body of the answer.
  func sendFile(_ path: String, size: Int, to target: String) throws(Failure) -> ArraySlice<UInt8> {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { throw Failure("\(path) cannot be opened") }
    defer { close(file) }
    try sendAll(
      Array(
        """
        POST \(target) HTTP/1.1\r
        Host: 127.0.0.1\r
        Content-Type: application/octet-stream\r
        Content-Length: \(size)\r
        \r\n
        """.utf8))
    var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
    while true {
      let count = piece.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
      guard count >= 0 else { throw Failure("\(path) cannot be read") }
      if count == 0 { break }
      try sendAll(count == piece.count ? piece : Array(piece[..<count]))
    }
    return try receive()
  }

  /// Downloads the body of an answer into a file, and flushes the file.
  ///
  /// - Returns: the number of bytes of the body.
  func fetch(_ target: String, to path: String) throws(Failure) -> Int {
    let file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0o600)
    guard file >= 0 else { throw Failure("\(path) cannot be opened") }
    defer { close(file) }
    try sendAll(Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8))
    var head: [UInt8] = []
    var expected: Int?
    var received = 0
    var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
    while expected.map({ received < $0 }) ?? true {
      let count = piece.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
      guard count > 0 else { throw Failure("the server closed a connection") }
      var body = piece[..<count]
      if expected == nil {
        head += body
        guard let found = try Self.readHead(head) else { continue }
        expected = found.length
        body = head[found.bodyStart...]
      }
      received += body.count
      let done = body.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard done == body.count else { throw Failure("\(path) cannot be written") }
    }
    fsync(file)
    return received
  }

  private func sendAll(_ bytes: [UInt8]) throws(Failure) {
    var sent = 0
    while sent < bytes.count { sent += try Socket.send(bytes, from: sent, to: descriptor) }
  }

  /// Returns the length of the body and its start, or nil if the head is not complete yet.
  private static func readHead(
    _ bytes: [UInt8]
  ) throws(Failure) -> (length: Int, bodyStart: Int)? {
    let end = Array("\r\n\r\n".utf8)
    guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else {
      return nil
    }
    let lines = String(decoding: bytes[..<start], as: UTF8.self).split(separator: "\r\n")
    guard lines.first?.contains(" 200 ") == true else {
      throw Failure("a file was refused: \(lines.first ?? "")")
    }
    let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
      .flatMap { Int($0.split(separator: ":")[1].trimmed) }
    guard let length else { throw Failure("the answer with a file has no length") }
    return (length, start + end.count)
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    drop { $0 == " " }
  }
}
