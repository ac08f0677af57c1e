/// The part of a state that an app stores. Making and copying this value is cheap, because it
/// shares the entries with the state.
struct SavedSyncState: Sendable {
  /// The version of the format. Only this version can be written and read.
  static let version = 1

  var user = SyncState.User.unknown
  var databaseToken: String?
  var zoneTokens: [CKRecordZone.ID: String] = [:]
  var incarnations: [CKRecordZone.ID: String] = [:]
  var unfetchedZones = PendingSlots<CKRecordZone.ID>()
  var records = PendingSlots<CKSyncEngine.PendingRecordZoneChange>()
  var zones = PendingSlots<CKSyncEngine.PendingDatabaseChange>()
  var hasUntrackedChanges = false
  var subscriptionID: String?

  init() {}

  init(_ state: SyncState) {
    user = state.user
    databaseToken = state.databaseToken
    zoneTokens = state.zoneTokens
    incarnations = state.incarnations
    unfetchedZones = state.unfetchedZones.slots
    records = state.records.slots
    zones = state.zones.slots
    hasUntrackedChanges = state.hasUntrackedChanges
    subscriptionID = state.subscriptionID
  }

  /// A short text for logs.
  var summary: String {
    "pendingRecordZoneChanges: \(records.elements.count), "
      + "pendingDatabaseChanges: \(zones.elements.count), "
      + "zonesWithUnfetchedChanges: \(unfetchedZones.elements.count)"
  }
}

extension SyncState {
  /// Makes the state from a stored state; nil makes the state of a new engine.
  init(_ saved: SavedSyncState?) {
    self.init()
    guard let saved else { return }
    self.init(
      user: saved.user, databaseToken: saved.databaseToken, zoneTokens: saved.zoneTokens,
      incarnations: saved.incarnations,
      unfetchedZones: PendingList(saved.unfetchedZones.elements),
      records: PendingList(saved.records.elements),
      zones: PendingList(saved.zones.elements),
      hasUntrackedChanges: saved.hasUntrackedChanges, subscriptionID: saved.subscriptionID)
  }
}

extension CKSyncEngine.State {
  /// A state in the form that an app stores.
  ///
  /// Choice: the format belongs to Stratus and has a version. Apple's format cannot be read.
  public struct Serialization: Codable, Sendable {
    let saved: SavedSyncState

    init(_ state: SyncState) { saved = SavedSyncState(state) }

    /// Reads a stored state.
    ///
    /// - Throws: `DecodingError` if the data is invalid, or has another version of the format.
    public init(from decoder: any Decoder) throws { saved = try SavedSyncState(from: decoder) }

    public func encode(to encoder: any Encoder) throws { try saved.encode(to: encoder) }
  }
}
