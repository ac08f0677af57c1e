import Foundation
import StratusWire

extension CKSubscription {
  /// The subscription in its wire form.
  ///
  /// - Parameter now: the value of `now()` in a predicate.
  /// - Throws: `CKError.invalidArguments` if CloudKit does not support the predicate, or if a query
  ///   subscription has no trigger.
  func wire(now: Date, naming: UserNaming) throws(CKError) -> Subscription {
    Subscription(
      id: subscriptionID, try subject(now: now, naming: naming),
      notificationInfo: notificationInfo?.wire)
  }

  private func subject(now: Date, naming: UserNaming) throws(CKError) -> Subscription.Subject {
    switch self {
    case let subscription as CKQuerySubscription:
      return .query(try subscription.watched(now: now, naming: naming))
    case let subscription as CKRecordZoneSubscription:
      return .zone(subscription.zoneID.wire, recordType: subscription.recordType)
    case let subscription as CKDatabaseSubscription:
      return .database(recordType: subscription.recordType)
    case _:
      throw .malformed("a subscription watches a query, a zone or a database")
    }
  }

  /// Makes a subscription from a response; nil if it has no ID.
  static func make(_ wire: Subscription, naming: UserNaming) -> CKSubscription? {
    guard let id = wire.id else { return nil }
    let info = wire.notificationInfo.map { CKNotificationInfo(wire: $0) }
    switch wire.subject {
    case .query(let watched):
      var options = CKQuerySubscription.Options(rawValue: UInt(watched.firesOn.rawValue & 7))
      if watched.firesOnce { options.insert(.firesOnce) }
      return CKQuerySubscription(
        recordType: watched.query.recordType,
        predicate: FilterPredicate(naming: naming).predicate(of: watched.query.filters),
        zoneID: watched.zoneID.map { CKRecordZoneID(wire: $0, naming: naming) }, options: options,
        subscriptionID: id, notificationInfo: info)
    case .zone(let zoneID, let recordType):
      return CKRecordZoneSubscription(
        zoneID: CKRecordZoneID(wire: zoneID, naming: naming), subscriptionID: id,
        recordType: recordType, notificationInfo: info)
    case .database(let recordType):
      return CKDatabaseSubscription(
        subscriptionID: id, recordType: recordType, notificationInfo: info)
    }
  }
}

extension CKQuerySubscription {
  fileprivate func watched(now: Date, naming: UserNaming) throws(CKError) -> WatchedQuery {
    let triggers = querySubscriptionOptions.intersection(Options.triggers)
    guard !triggers.isEmpty else {
      throw .malformed(
        "a query subscription needs one of the options firesOnRecordCreation, firesOnRecordUpdate "
          + "and firesOnRecordDeletion")
    }
    let filters = try PredicateFilters.filters(of: predicate, now: now, naming: naming)
    return WatchedQuery(
      query: Query(recordType: recordType ?? "", filters: filters), zoneID: zoneID?.wire,
      firesOn: FiresOn(rawValue: Int(triggers.rawValue)),
      firesOnce: querySubscriptionOptions.contains(.firesOnce))
  }
}
