public import StratusDomain
import StratusWire

/// The body of a request that has not been read yet.
public protocol SentBody: Sendable {
  /// The complete body.
  ///
  /// - Throws: `BAD_REQUEST` if the body is larger than the limit of JSON requests, or ends early.
  func bytes() async throws(ServerError) -> [UInt8]

  /// The body in any number of pieces. Call this only once.
  func pieces() -> any BodyPieces
}

/// Returns a body piece by piece.
public protocol BodyPieces: AnyObject {
  /// The next bytes; nil at the end.
  ///
  /// - Throws: `BAD_REQUEST` if the body ends early.
  func next() async throws(ServerError) -> [UInt8]?
}

/// A body that has arrived completely.
public struct WholeBody: SentBody {
  private let contents: [UInt8]

  public init(_ contents: [UInt8]) { self.contents = contents }

  public func bytes() async throws(ServerError) -> [UInt8] {
    guard contents.count <= Limits.requestSizeBytesMax else {
      throw .badRequest(Reason.requestTooLarge)
    }
    return contents
  }

  public func pieces() -> any BodyPieces { Once(contents) }

  private final class Once: BodyPieces {
    private var rest: [UInt8]?

    init(_ contents: [UInt8]) { rest = contents }

    func next() async throws(ServerError) -> [UInt8]? {
      defer { rest = nil }
      return rest
    }
  }
}
