import StratusWire

/// The rules a subscription must pass to be saved (cloudkit-semantics §18).
struct SubscriptionRules {
  let database: OpenDatabase
  let user: String
  let store: any StoreWriting

  /// Where the subscription is filed; extends a development schema where its query needs it.
  ///
  /// `Choice:` production refuses subscriptions that were "not seen in development" (Apple). Here
  /// that is the rule of queries: the fields must be marked, and marks come from development.
  ///
  /// - Throws: `BAD_REQUEST`; `ZONE_NOT_FOUND`.
  func place(of subscription: Subscription) throws(ServerError) -> SubscriptionPlace {
    try check(subscription.notificationInfo)
    switch subscription.subject {
    case .query(let watched): return try place(of: watched)
    case .zone(let zoneID, let recordType):
      try requirePrivate("zone")
      try check(recordType)
      let name = try database.zoneName(zoneID)
      guard name != ZoneID.defaultZoneName else {
        throw .badRequest(Reason.subscriptionToDefaultZone)
      }
      guard let zone = try store.zone(named: name, in: database.key) else {
        throw try store.missingZone(named: name, in: database.key)
      }
      return .zone(zone.id)
    case .database(let recordType):
      try requirePrivate("database")
      try check(recordType)
      return .database
    }
  }

  private func place(of watched: WatchedQuery) throws(ServerError) -> SubscriptionPlace {
    if watched.firesOn.isEmpty { throw .badRequest(Reason.subscriptionNeverFires) }
    if let zoneID = watched.zoneID {
      let name = try database.zoneName(zoneID)
      let exists = try store.zone(named: name, in: database.key) != nil
      guard exists || name == ZoneID.defaultZoneName else {
        throw try store.missingZone(named: name, in: database.key)
      }
    }
    let query = try SubscriptionQuery(
      watched, of: user, schema: try store.schema(), environment: database.environment)
    if !query.addition.isEmpty { try store.add(query.addition) }
    return query.place
  }

  private func requirePrivate(_ kind: String) throws(ServerError) {
    if database.key == .public {
      throw .badRequest("\(kind) subscriptions are not supported in the public database")
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
