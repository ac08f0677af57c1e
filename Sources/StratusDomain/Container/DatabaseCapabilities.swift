import StratusWire

// The features of each kind of database.

extension DatabaseView {
  /// Whether the database has a default zone, which exists before anything is written to it.
  var hasDefaultZone: Bool { database != nil }

  /// Whether a query without a zone searches all zones.
  var queriesAllZones: Bool { self != .public }

  /// Refuses requests for the history of a database that keeps no history.
  ///
  /// - Throws: `BAD_REQUEST` in the public database.
  func requireHistory() throws(ServerError) {
    if self == .public { throw .badRequest(Reason.endpointInPublic) }
  }

  /// Refuses to handle zone keys in a database without encrypted values.
  ///
  /// - Throws: `BAD_REQUEST` in the public database.
  func requireEncryption() throws(ServerError) {
    if self == .public { throw .badRequest(Reason.endpointInPublic) }
  }

  /// Refuses to change the caller's own key in a database that the caller does not own.
  ///
  /// - Throws: `BAD_REQUEST` in the public and the shared database.
  func requireOwnKeys() throws(ServerError) {
    switch self {
    case .public: throw .badRequest(Reason.endpointInPublic)
    case .private: return
    case .shared: throw .badRequest(Reason.endpointInShared)
    }
  }

  /// Refuses to create or delete zones in a database that the caller does not own.
  ///
  /// - Throws: `BAD_REQUEST` in the public and the shared database.
  func requireOwnZones() throws(ServerError) {
    switch self {
    case .public: throw .badRequest(Reason.customZoneInPublic)
    case .private: return
    case .shared: throw .badRequest(Reason.endpointInShared)
    }
  }

  /// Refuses a kind of subscription that the database does not have.
  ///
  /// - Throws: `BAD_REQUEST` unless the kind fits: the public database has only query
  ///   subscriptions, and the shared database has only database subscriptions.
  func requireSubscriptions(to subject: Subscription.Subject) throws(ServerError) {
    switch (self, subject) {
    case (.private, _), (.public, .query), (.shared, .database): return
    case (.public, .zone):
      throw .badRequest("zone subscriptions are not supported in the public database")
    case (.public, .database):
      throw .badRequest("database subscriptions are not supported in the public database")
    case (.shared, .query), (.shared, .zone):
      throw .badRequest("the shared database has database subscriptions only")
    }
  }
}

extension DatabaseKey {
  /// Whether fields can be encrypted on the device.
  var allowsEncryptedValues: Bool { self != .public }

  /// Whether zones keep a history for clients, so that answers can contain a change token.
  var keepsHistories: Bool { self != .public }

  /// Whether a record must stay as long as other records name it as their parent.
  ///
  /// Choice: the public database allows the deletion. It has no sharing, so parents have no effect
  /// there, and such a rule would let any user block the deletion of another user's record.
  var childrenHoldParents: Bool { self != .public }
}
