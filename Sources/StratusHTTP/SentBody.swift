public import StratusDomain
import StratusWire
import Synchronization

/// The body of a request that has not been read yet.
public protocol SentBody: Sendable {
  /// Reads the complete body.
  ///
  /// - Throws: `BAD_REQUEST` if the body is larger than the limit for JSON requests, or ends early.
  func bytes() async throws(ServerError) -> [UInt8]

  /// Returns the body in any number of pieces. This method can be called only once.
  func pieces() -> any BodyPieces
}

/// Returns a body piece by piece.
public protocol BodyPieces: AnyObject {
  /// Returns the next bytes, or nil at the end of the body.
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

/// A body that is stored when it is first read as a whole, so that it can be read again.
final class KeptBody: SentBody {
  private let body: any SentBody
  private let kept = Mutex<[UInt8]?>(nil)

  init(_ body: any SentBody) { self.body = body }

  func bytes() async throws(ServerError) -> [UInt8] {
    if let kept = kept.withLock({ $0 }) { return kept }
    let bytes = try await body.bytes()
    kept.withLock { $0 = bytes }
    return bytes
  }

  func pieces() -> any BodyPieces {
    guard let kept = kept.withLock({ $0 }) else { return body.pieces() }
    return WholeBody(kept).pieces()
  }
}
