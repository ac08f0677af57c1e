public import StratusDomain

/// The body of an answer.
public enum AnswerBody: Sendable {
  case bytes([UInt8])
  /// Part of a file, to be read as the client takes it.
  case file(any AssetFile, Range<Int64>)
  /// Nothing, though the head says how much there would be: the answer to HEAD.
  case absent(size: Int64)

  /// All of it.
  ///
  /// - Throws: what the asset store throws.
  public func collected() async throws(ServerError) -> [UInt8] {
    switch self {
    case .bytes(let bytes): return bytes
    case .absent: return []
    case .file(let file, let range):
      return try await file.read(at: range.lowerBound, count: range.count)
    }
  }
}
