public import StratusDomain

/// The body of an answer.
public enum AnswerBody: Sendable {
  case bytes([UInt8])
  /// A part of a file, which is read as fast as the client accepts it. `subscriber` is the caller's
  /// address (``Caller/subscriber``).
  case file(any AssetFile, Range<Int64>, subscriber: String?)
  /// Server-sent events, which are sent as they occur. The connection closes after the last one.
  case events(AsyncStream<[UInt8]>)
  /// No body, although the head states its size. Such an answer is sent for a HEAD request, and for
  /// a file that the client already has.
  case absent(size: Int64)

  /// Returns the whole body. The result is empty for events and for an absent body.
  ///
  /// - Throws: the error of the asset store.
  public func collected() async throws(ServerError) -> [UInt8] {
    switch self {
    case .bytes(let bytes): return bytes
    case .absent, .events: return []
    case .file(let file, let range, _):
      return try await file.read(at: range.lowerBound, count: range.count)
    }
  }
}
