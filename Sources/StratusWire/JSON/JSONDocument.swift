/// A parsed JSON text: the bytes as they came, and a flat list of what they hold.
///
/// Nothing is copied out of the text until it is asked for, so that a server that passes most
/// values through pays for the few it looks at.
final class JSONDocument: Sendable {
  let bytes: [UInt8]
  let tokens: [JSONToken]

  /// Parses `bytes` as one JSON value.
  ///
  /// - Throws: ``WireError`` naming what is wrong and at which byte.
  init(parsing bytes: [UInt8], depthMax: Int) throws(WireError) {
    var parser = JSONParser(count: bytes.count, depthMax: depthMax)
    let failure = bytes.withUnsafeBufferPointer { parser.parse($0) }
    if let failure { throw WireError(failure.description) }
    self.bytes = bytes
    self.tokens = parser.tokens
  }
}

/// Why a text is not JSON.
struct JSONFailure: CustomStringConvertible {
  let problem: String
  let offset: Int

  var description: String { "invalid JSON at byte \(offset): \(problem)" }
}
