public import StratusWire
import Synchronization

/// Collects, for each change token of a zone in the answer to a request, the position in the zone's
/// history.
public final class SyncNotes: Sendable {
  /// The position of a device in a zone's history.
  public struct Position: Sendable, Hashable {
    public var zoneID: ZoneID
    /// The incarnation of the zone, which changes if the zone is deleted and created again.
    public var incarnation: Int64
    /// The device knows the zone's changes up to this number.
    public var change: Int64
    /// Whether the answer said that more changes follow.
    public var moreComing: Bool
  }

  private let noted = Mutex<[Position]>([])

  public init() {}

  /// Notes the token that a device gets for a zone.
  func note(_ changes: ZoneChanges) {
    guard let token = try? ChangeToken(text: changes.syncToken) else { return }
    let position = Position(
      zoneID: changes.zoneID, incarnation: token.incarnation, change: token.change,
      moreComing: changes.moreComing)
    noted.withLock { $0.append(position) }
  }

  public var all: [Position] { noted.withLock { $0 } }
}

// NB: all values of this type are equal, because they are not part of the caller's identity.
extension SyncNotes: Hashable {
  public static func == (left: SyncNotes, right: SyncNotes) -> Bool { true }

  public func hash(into hasher: inout Hasher) {}
}
