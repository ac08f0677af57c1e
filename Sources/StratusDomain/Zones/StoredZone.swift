public import StratusWire

/// A zone in the store.
public struct StoredZone: Sendable, Hashable {
  /// The zone's number in the store. It is never used again, not even after a restore. Users do not
  /// see it, because it counts the zones of all users.
  public var id: Int64
  /// Distinguishes the zone from earlier and later zones with the same name, also after a restore.
  public var incarnation: Int64
  public var database: DatabaseKey
  public var name: String
  /// The number of the newest change to a record of the zone, or of its newest ``Passage`` if that
  /// is greater. It is 0 if there is neither yet.
  public var change: Int64
  /// The token that a writer last stored for the readers of the zone's change feed.
  public var clientChangeToken: String?
  /// The encryption scope, which is set when the zone is created and never changes.
  public var encryptionScope: EncryptionScope
  /// The change number of the newest record deletion that was removed from the history, or 0 if
  /// none was removed.
  public var newestExpired: Int64
  /// The change number of the newest passage that was removed from the history, or 0 if none was
  /// removed. It matters only for participants, because owners do not read passages.
  public var newestExpiredPassage: Int64
  /// Whether the zone has, or once had, a shared hierarchy. Records have a ``Passage`` only in such
  /// a zone.
  public var hasHierarchies: Bool

  public init(
    id: Int64, database: DatabaseKey, name: String, change: Int64, clientChangeToken: String?,
    encryptionScope: EncryptionScope = .perRecord, newestExpired: Int64 = 0,
    newestExpiredPassage: Int64 = 0, hasHierarchies: Bool = false, incarnation: Int64? = nil
  ) {
    self.id = id
    self.incarnation = incarnation ?? id
    self.database = database
    self.name = name
    self.change = change
    self.clientChangeToken = clientChangeToken
    self.encryptionScope = encryptionScope
    self.newestExpired = newestExpired
    self.newestExpiredPassage = newestExpiredPassage
    self.hasHierarchies = hasHierarchies
  }

  public var isDefault: Bool { name == ZoneID.defaultZoneName }
  public var address: ZoneAddress { ZoneAddress(database: database, name: name) }
}

/// An entry in a database's history: a zone was created, changed or deleted, or a user joined or
/// left the zone.
public struct ZoneChange: Sendable, Hashable {
  /// The zone's ``StoredZone/incarnation``.
  public var incarnation: Int64
  public var name: String
  /// The database that holds the zone's rows.
  public var database: DatabaseKey
  /// The change number of the entry in the database's history.
  public var change: Int64
  public var isDeleted: Bool
  /// The reason for the deletion, if the zone was deleted.
  public var deletionReason: ZoneDeletionReason
  /// The number of the user's participation, in the history of a shared database. It is 0 in the
  /// history of the owner's database.
  public var participation: Int64

  public init(
    incarnation: Int64, name: String, database: DatabaseKey, change: Int64, isDeleted: Bool,
    deletionReason: ZoneDeletionReason = .deleted, participation: Int64 = 0
  ) {
    self.incarnation = incarnation
    self.name = name
    self.database = database
    self.change = change
    self.isDeleted = isDeleted
    self.deletionReason = deletionReason
    self.participation = participation
  }
}
