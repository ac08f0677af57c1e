/// The bytes of a request that is sent many times. Only the record names in the request change.
struct RequestTemplate {
  private(set) var bytes: [UInt8]
  private let nameOffsets: [Int]

  /// - Parameters:
  ///   - body: the body, which contains ``RecordName/placeholder`` in place of each name.
  ///   - bearer: the token of the header field `Authorization`, or nil to omit this field.
  init(path: String, body: [UInt8], bearer: String? = nil) {
    let authorization = bearer.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    bytes = Array(
      """
      POST \(path) HTTP/1.1\r
      \(authorization)Host: 127.0.0.1\r
      Content-Type: application/json\r
      Content-Length: \(body.count)\r
      \r\n
      """.utf8)
    let bodyStart = bytes.count
    bytes += body
    var offsets: [Int] = []
    var position = bodyStart
    while position + RecordName.count <= bytes.count {
      let end = position + RecordName.count
      if bytes[position..<end].allSatisfy({ $0 == UInt8(ascii: "@") }) {
        offsets.append(position)
        position = end
      } else {
        position += 1
      }
    }
    nameOffsets = offsets
  }

  /// Writes new names into the request, one for each placeholder.
  ///
  /// - Parameter next: returns the number of the next name.
  mutating func setNames(_ next: () -> UInt64) {
    for offset in nameOffsets { RecordName.write(next(), to: &bytes, at: offset) }
  }
}
