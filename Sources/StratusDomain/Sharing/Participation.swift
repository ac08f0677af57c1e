/// A user's participation in a zone of another user: the shares through which the user sees it.
public struct Participation: Sendable, Hashable {
  /// The number in the user's change tokens. It is new when the user joins the first share of the
  /// zone, when the user leaves one of several shares, when a share of the whole zone is added to
  /// shares of single hierarchies, and when a share of a single hierarchy is added to a share of
  /// the whole zone. Tokens with another number have expired.
  public var number: Int64
  /// The shares that the user has joined, in the byte order of their roots. Each root appears once.
  public var shares: [JoinedShare]

  public init(number: Int64, shares: [JoinedShare]) {
    self.number = number
    self.shares = shares
  }

  /// The ``JoinedShare/joined`` of the share that the user joined last, or 0 if there is no share.
  var newestJoin: Int64 { shares.map(\.joined).max() ?? 0 }

  /// Whether a share shows the whole zone.
  var showsZone: Bool { shares.contains { $0.rootName == nil } }

  /// The names of the roots whose hierarchies the user sees.
  var rootNames: [String] { shares.compactMap(\.rootName) }

  /// Returns the shares that show a record.
  ///
  /// - Parameter root: the root of the hierarchy that contains the record, or nil if none contains
  ///   it.
  func shares(showing root: String?) -> [JoinedShare] {
    shares.filter { share in
      guard let shown = share.rootName else { return true }
      return root.map { ExactName($0) == ExactName(shown) } ?? false
    }
  }
}

/// A share that a user has joined.
public struct JoinedShare: Sendable, Hashable {
  /// The name of the root record, or nil if the share shows the whole zone.
  public var rootName: String?
  public var permission: SharePermission
  /// A number from the counter of the user's shared database. A share that is joined later has a
  /// greater number.
  public var joined: Int64
  /// The zone's newest change at the time of joining. The user never had records that were deleted,
  /// or that left the share, up to this change.
  public var since: Int64
  /// Whether the user may change the participants and permissions of the share.
  public var isAdministrator: Bool

  public init(
    rootName: String?, permission: SharePermission, joined: Int64, since: Int64,
    isAdministrator: Bool = false
  ) {
    self.isAdministrator = isAdministrator
    self.rootName = rootName
    self.permission = permission
    self.joined = joined
    self.since = since
  }
}

/// The actions that a share allows a participant.
public enum SharePermission: Int64, Sendable, Hashable, CaseIterable {
  case read = 1
  case readWrite = 2
}
