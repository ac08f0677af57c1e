import StratusDomain
import StratusWire
import Testing

extension Scene {
  /// Saves subscriptions and returns the results.
  @discardableResult
  func subscribe(
    _ subscriptions: Subscription..., by user: String = "_ann", scope: DatabaseScope = .private,
    at address: StoreAddress = Scene.address
  ) async throws -> [SubscriptionItem] {
    try await modify(
      subscriptions.map { .save($0) }, by: user, scope: scope, at: address)
  }

  func modify(
    _ operations: [ModifySubscriptions.Operation], by user: String = "_ann",
    scope: DatabaseScope = .private, at address: StoreAddress = Scene.address
  ) async throws -> [SubscriptionItem] {
    try await answer(
      ModifySubscriptions.self, ModifySubscriptions.Request(operations: operations), by: user,
      scope: scope, at: address
    ).subscriptions
  }

  func listed(
    by user: String = "_ann", scope: DatabaseScope = .private
  ) async throws -> [String] {
    try await answer(ListSubscriptions.self, EmptyRequest(), by: user, scope: scope)
      .subscriptions.map(\.word)
  }

  /// Saves or deletes records. The JSON text `operations` contains the operations.
  @discardableResult
  func change(
    _ operations: String, in zone: String? = nil, by user: String = "_ann",
    device: String = "d1", scope: DatabaseScope = .private, at address: StoreAddress = Scene.address
  ) async throws -> [RecordItem] {
    let zoneID = zone.map { #","zoneID":{"zoneName":"\#($0)"}"# } ?? ""
    let request = try ModifyRecords.Request(
      jsonBytes: Array(#"{"operations":[\#(operations)]\#(zoneID)}"#.utf8))
    let items = try await answer(
      ModifyRecords.self, request, by: user, device: device, scope: scope, at: address
    ).records
    for item in items {
      if case .failure(let failure) = item { Issue.record("\(failure)") }
    }
    return items
  }

  /// Saves a note.
  func save(
    _ name: String, _ fields: String = "", in zone: String? = nil, by user: String = "_ann",
    device: String = "d1", scope: DatabaseScope = .private, type: String = "Note",
    at address: StoreAddress = Scene.address
  ) async throws {
    try await change(
      Self.save(name, fields, type: type), in: zone, by: user, device: device, scope: scope,
      at: address)
  }

  func delete(
    _ name: String, in zone: String? = nil, by user: String = "_ann", device: String = "d1",
    scope: DatabaseScope = .private
  ) async throws {
    try await change(Self.delete(name), in: zone, by: user, device: device, scope: scope)
  }

  static func save(_ name: String, _ fields: String = "", type: String = "Note") -> String {
    #"{"operationType":"forceReplace","record":{"recordName":"\#(name)","#
      + #""recordType":"\#(type)","fields":{\#(fields)}}}"#
  }

  static func delete(_ name: String) -> String {
    #"{"operationType":"forceDelete","record":{"recordName":"\#(name)"}}"#
  }

  func zones(
    make: [String] = [], delete: [String] = [], by user: String = "_ann", device: String = "d1"
  ) async throws {
    let operations =
      make.map { #"{"operationType":"create","zone":{"zoneID":{"zoneName":"\#($0)"}}}"# }
      + delete.map { #"{"operationType":"delete","zone":{"zoneID":{"zoneName":"\#($0)"}}}"# }
    let request = try ModifyZones.Request(
      jsonBytes: Array(#"{"operations":[\#(operations.joined(separator: ","))]}"#.utf8))
    _ = try await answer(ModifyZones.self, request, by: user, device: device)
  }
}

extension Subscription {
  /// A subscription to all records of a type, or to those that match filters in JSON.
  static func query(
    _ id: String?, _ filters: String = "", on firesOn: FiresOn = [.create, .update, .delete],
    once: Bool = false, zone: String? = nil, type: String = "Note"
  ) throws -> Subscription {
    let query = try Query(
      jsonBytes: Array(#"{"recordType":"\#(type)","filterBy":[\#(filters)]}"#.utf8))
    return Subscription(
      id: id,
      .query(
        WatchedQuery(
          query: query, zoneID: zone.map { ZoneID(zoneName: $0) }, firesOn: firesOn,
          firesOnce: once)))
  }

  static func zone(_ id: String, _ name: String, type: String? = nil) -> Subscription {
    Subscription(id: id, .zone(ZoneID(zoneName: name), recordType: type))
  }

  static func database(_ id: String, type: String? = nil) -> Subscription {
    Subscription(id: id, .database(recordType: type))
  }

  /// The same subscription with a visible text. Visible notifications do not replace each other.
  var visible: Subscription {
    var subscription = self
    var info = NotificationInfo()
    info.alertBody = "!"
    subscription.notificationInfo = info
    return subscription
  }
}

/// A filter as JSON.
func filter(_ comparator: String, _ field: String, _ value: String) -> String {
  #"{"comparator":"\#(comparator)","fieldName":"\#(field)","fieldValue":{"value":\#(value)}}"#
}

func field(_ name: String, _ value: String) -> String { #""\#(name)":{"value":\#(value)}"# }
