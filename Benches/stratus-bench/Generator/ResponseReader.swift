import CEpoll
import Glibc

/// Reads one answer after another from a socket.
struct ResponseReader {
  private var bytes = [UInt8](repeating: 0, count: 1 << 16)
  private var filled = 0
  private var bodyStart = 0
  /// The index after the last byte of the answer, or nil if the head has not arrived completely.
  private var end: Int?
  /// Whether an answer that refuses the request is accepted.
  var acceptsRefusals = false

  /// The body of the answer that was read last.
  var body: ArraySlice<UInt8> { bytes[bodyStart..<max(bodyStart, end ?? bodyStart)] }

  mutating func startAnswer() {
    filled = 0
    end = nil
  }

  /// Reads the available bytes of the socket.
  ///
  /// - Returns: whether the answer is complete.
  /// - Throws: an error if the connection was closed, or if the answer refuses the request and
  ///   ``acceptsRefusals`` is false.
  mutating func receive(from descriptor: Int32) throws(Failure) -> Bool {
    let filled = filled
    let count = bytes.withUnsafeMutableBytes { buffer in
      guard let start = buffer.baseAddress else { return -1 }
      return recv(descriptor, start + filled, buffer.count - filled, 0)
    }
    if count < 0, errno == EAGAIN || errno == EINTR { return false }
    guard count > 0 else { throw Failure("the server closed a connection") }
    self.filled += count
    if end == nil { try readHead() }
    guard let end, self.filled >= end else { return false }
    try checkBody()
    return true
  }

  private mutating func readHead() throws(Failure) {
    guard let headEnd = find("\r\n\r\n", in: 0..<filled) else { return }
    guard acceptsRefusals || find("HTTP/1.1 200 ", in: 0..<min(13, filled)) == 0 else {
      throw Failure("a request was refused: " + String(decoding: bytes[..<filled], as: UTF8.self))
    }
    guard
      var position = find("Content-Length: ", in: 0..<headEnd)
        ?? find("content-length: ", in: 0..<headEnd)
    else { throw Failure("an answer has no length") }
    position += 16
    var length = 0
    while position < headEnd, (0x30...0x39).contains(bytes[position]) {
      length = length * 10 + Int(bytes[position] - 0x30)
      position += 1
    }
    bodyStart = headEnd + 4
    let end = bodyStart + length
    self.end = end
    if end > bytes.count {
      bytes.append(contentsOf: repeatElement(0, count: end - bytes.count))
    }
  }

  private func checkBody() throws(Failure) {
    if !acceptsRefusals, find("\"serverErrorCode\"", in: body.indices) != nil {
      throw Failure("a record was refused: " + String(decoding: body.prefix(2_000), as: UTF8.self))
    }
  }

  private func find(_ text: StaticString, in range: Range<Int>) -> Int? {
    bytes.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let found = cepoll_find(
        start + range.lowerBound, range.count, text.utf8Start, text.utf8CodeUnitCount)
      return found < 0 ? nil : range.lowerBound + found
    }
  }
}
