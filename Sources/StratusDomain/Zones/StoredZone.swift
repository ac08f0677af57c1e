public import StratusWire

/// A zone as the store keeps it.
public struct StoredZone: Sendable, Hashable {
  /// Never given twice in a store, and after a restore not again either, so it tells a zone from
  /// earlier and later ones of the same name: the zone's *incarnation*.
  public var id: Int64
  public var database: DatabaseKey
  public var name: String
  /// The number of the newest change to a record in it; 0: none yet.
  public var change: Int64
  /// What a writer last left for the readers of its change feed.
  public var clientChangeToken: String?
  /// Given when the zone is made, and kept.
  public var encryptionScope: EncryptionScope
  /// The newest deletion of a record that its history has forgotten; 0: none.
  public var newestForgotten: Int64
  /// The newest passage that its history has forgotten; 0: none. Owners need no passages.
  public var newestForgottenPassage: Int64

  public init(
    id: Int64, database: DatabaseKey, name: String, change: Int64, clientChangeToken: String?,
    encryptionScope: EncryptionScope = .perRecord, newestForgotten: Int64 = 0,
    newestForgottenPassage: Int64 = 0
  ) {
    self.id = id
    self.database = database
    self.name = name
    self.change = change
    self.clientChangeToken = clientChangeToken
    self.encryptionScope = encryptionScope
    self.newestForgotten = newestForgotten
    self.newestForgottenPassage = newestForgottenPassage
  }

  public var isDefault: Bool { name == ZoneID.defaultZoneName }
  public var address: ZoneAddress { ZoneAddress(database: database, name: name) }
}

/// An entry in a database's history: a zone that was made, changed or deleted, or in which a user
/// began or ended to take part.
public struct ZoneChange: Sendable, Hashable {
  /// The zone's ``StoredZone/id``.
  public var incarnation: Int64
  public var name: String
  /// The database that holds its rows.
  public var database: DatabaseKey
  /// Its place in the database's history.
  public var change: Int64
  public var isDeleted: Bool
  /// Why it was deleted, if it was.
  public var deletionReason: ZoneDeletionReason
  /// The number of the user's participation, in a shared database; 0 in the owner's.
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
