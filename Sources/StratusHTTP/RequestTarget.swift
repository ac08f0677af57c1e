/// The target of a request as it was received, split at its question mark.
struct RequestTarget: Sendable, Equatable {
  let path: Substring
  /// The part of the target after the question mark, or nil if there is no question mark.
  let query: Substring?

  init(_ target: String) {
    let bytes = target.utf8
    guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else {
      path = target[...]
      query = nil
      return
    }
    path = target[..<mark]
    query = target[bytes.index(after: mark)...]
  }
}
