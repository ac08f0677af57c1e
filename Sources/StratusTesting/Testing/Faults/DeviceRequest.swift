import Foundation
import StratusDomain
import StratusTransport
import StratusWire

/// A request of a device, with its decoded contents.
struct DeviceRequest: Sendable {
  let sent: HTTPRequest
  /// The path of the endpoint, or the prefix of an asset's path (for example `assets/upload/`).
  let endpoint: String
  /// The records that the request saves or deletes. The value is nil for other requests.
  let modification: ModifyRecords.Request?
  let lookup: LookupRecords.Request?
  let zoneOperations: ModifyZones.Request?
  private let zoneNames: Set<ExactName>

  init(_ sent: HTTPRequest) {
    self.sent = sent
    let parts = sent.url.path.split(separator: "/").map(String.init)
    if parts.first == "assets", parts.count > 1 {
      endpoint = "assets/\(parts[1])/"
    } else {
      endpoint = parts.suffix(2).joined(separator: "/")
    }
    modification = Self.read(ModifyRecords.self, endpoint, sent.body)
    lookup = Self.read(LookupRecords.self, endpoint, sent.body)
    zoneOperations = Self.read(ModifyZones.self, endpoint, sent.body)
    zoneNames = Set(
      Self.zoneNames(endpoint, sent.body, modification, lookup, zoneOperations)
        .map(ExactName.init))
  }

  private static func read<E: Endpoint>(
    _ type: E.Type, _ endpoint: String, _ body: [UInt8]
  ) -> E.Request? {
    endpoint == E.path ? try? E.Request(jsonBytes: body) : nil
  }

  private static func zoneNames(
    _ endpoint: String, _ body: [UInt8], _ modification: ModifyRecords.Request?,
    _ lookup: LookupRecords.Request?, _ zoneOperations: ModifyZones.Request?
  ) -> [String] {
    let ids: [ZoneID?]
    if let modification {
      ids = modification.operations.map { $0.zoneID ?? modification.zoneID }
    } else if let lookup {
      ids = lookup.items.map { $0.zoneID ?? lookup.zoneID }
    } else if let zoneOperations {
      ids = zoneOperations.operations.map(\.zoneID)
    } else if let query = read(QueryRecords.self, endpoint, body) {
      ids = [query.zoneID]
    } else if let changes = read(FetchZoneChanges.self, endpoint, body) {
      ids = changes.zones.map(\.zoneID)
    } else if let changes = read(FetchRecordChanges.self, endpoint, body) {
      ids = [changes.zoneID]
    } else if let zones = read(LookupZones.self, endpoint, body) {
      ids = zones.zones.map { $0 }
    } else {
      return []
    }
    return ids.map { $0?.zoneName ?? ZoneID.defaultZoneName }
  }

  /// The names of the records that the request saves, deletes or fetches.
  var recordNames: [String] {
    modification?.operations.compactMap(\.recordName) ?? lookup?.items.map(\.recordName) ?? []
  }

  func isOne(of requests: TestRequests) -> Bool {
    if let endpoints = requests.endpoints, !endpoints.contains(endpoint) { return false }
    if let name = requests.zoneName, !zoneNames.contains(ExactName(name)) { return false }
    guard let name = requests.recordName.map(ExactName.init) else { return true }
    return recordNames.contains { ExactName($0) == name }
  }

  /// Whether the request concerns a zone with this name.
  func concerns(zoneNamed name: ExactName) -> Bool { zoneNames.contains(name) }

  /// Whether the request concerns the user's private database.
  var isPrivate: Bool { sent.url.path.split(separator: "/").dropFirst(4).first == "private" }

  /// The container of the request. It is nil for asset requests.
  var container: String? {
    let parts = sent.url.path.split(separator: "/")
    return parts.count > 3 && parts[0] != "assets" ? String(parts[2]) : nil
  }
}
