/// A parsed JSON text: the received bytes and a flat list of tokens.
///
/// Values are copied out of the text only on request. A server that forwards most values therefore
/// copies only the few that it reads.
final class JSONDocument: Sendable {
  let bytes: [UInt8]
  let tokens: [JSONToken]

  /// Parses `bytes` as one JSON value.
  ///
  /// - Throws: ``WireError`` that describes the fault and its byte offset.
  init(parsing bytes: [UInt8], depthMax: Int) throws(WireError) {
    var parser = JSONParser(count: bytes.count, depthMax: depthMax)
    let failure = bytes.withUnsafeBufferPointer { parser.parse($0) }
    if let failure { throw WireError(failure.description) }
    self.bytes = bytes
    self.tokens = parser.tokens
  }
}

/// The reason why a text is not JSON.
struct JSONFailure: CustomStringConvertible {
  let problem: String
  let offset: Int

  var description: String { "invalid JSON at byte \(offset): \(problem)" }
}
