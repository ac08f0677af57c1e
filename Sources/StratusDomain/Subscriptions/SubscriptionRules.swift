import StratusWire

/// The rules that a subscription must pass to be saved.
struct SubscriptionRules {
  let database: OpenDatabase
  let user: String
  let store: any StoreWriting

  /// Returns the key and subject under which the subscription is stored. If the query needs
  /// additions to a development schema, the method makes these additions.
  ///
  /// `Choice:` Apple's production refuses subscriptions "not seen in development". Stratus applies
  /// the rule of queries instead: the fields must have index marks, which come from development.
  ///
  /// - Throws: `BAD_REQUEST` if the database does not allow the subscription, or if a part of the
  ///   subscription is not legal; `ZONE_NOT_FOUND` if the zone does not exist; `ACCESS_DENIED` if
  ///   the caller may read no record of the type.
  func watchKey(of subscription: Subscription) throws(ServerError) -> WatchKey {
    try database.view.requireSubscriptions(to: subscription.subject)
    try check(subscription.notificationInfo)
    switch subscription.subject {
    case .query(let watched): return try watchKey(of: watched)
    case .zone(let zoneID, let recordType):
      try check(recordType)
      let address = try database.zoneAddress(zoneID)
      guard !address.isDefault else { throw .badRequest(Reason.subscriptionToDefaultZone) }
      guard let zone = try database.access(to: address, of: store).zone else {
        throw .fault("a zone that is not the default one has no row")
      }
      return .zone(zone.id)
    case .database(let recordType):
      try check(recordType)
      return .database
    }
  }

  private func watchKey(of watched: WatchedQuery) throws(ServerError) -> WatchKey {
    if watched.firesOn.isEmpty { throw .badRequest(Reason.subscriptionNeverFires) }
    if let zoneID = watched.zoneID {
      _ = try database.access(to: try database.zoneAddress(zoneID), of: store)
    }
    let schema = try store.schema()
    let query = try SubscriptionQuery(
      watched, of: user, schema: schema, environment: database.environment)
    try requireReadable(watched.query.recordType, schema)
    if !query.addition.isEmpty { try store.add(query.addition) }
    return query.watchKey
  }

  /// Refuses a subscription to records if the caller may read none of them. Queries are refused in
  /// the same way.
  ///
  /// - Throws: `ACCESS_DENIED`.
  private func requireReadable(
    _ recordType: String, _ schema: Schema
  ) throws(ServerError) {
    let policy = database.policy
    guard let key = database.view.database, let role = policy.role(in: key) else { return }
    if policy.readableRecords(ofType: recordType, schema: schema, as: role) == .none {
      throw ServerError(.accessDenied, Reason.accessDenied)
    }
  }

  private func check(_ recordType: String?) throws(ServerError) {
    if let recordType { try Naming.checkRecordType(recordType) }
  }

  private func check(_ info: NotificationInfo?) throws(ServerError) {
    guard let fields = info?.additionalFields, fields.count > Limits.additionalFieldsMax else {
      return
    }
    throw .badRequest("a notification has \(Limits.additionalFieldsMax) additionalFields at most")
  }
}
