import StratusKit

/// Checks that an engine calls its delegate correctly: only one event at a time, and an end event
/// after each begin event.
struct EventRules {
  let device: String
  let ledger: Ledger
  private var isCalled = false
  private var isFetching = false
  private var isSending = false
  private var zone: String?

  init(device: String, ledger: Ledger) {
    self.device = device
    self.ledger = ledger
  }

  /// Describes the fetch, send or event that has begun and has not ended. nil if there is none.
  var open: String? {
    if isFetching { return "a fetch has not ended" }
    if isSending { return "a send has not ended" }
    return isCalled ? "an event is still being handled" : nil
  }

  mutating func begin(_ event: CKSyncEngine.Event) {
    call()
    ledger.say("\(device): event \(Self.name(of: event))")
    switch event {
    case .willFetchChanges:
      require(!isFetching, "a fetch began during another fetch")
      isFetching = true
    case .didFetchChanges:
      require(isFetching, "a fetch ended that had not begun")
      require(zone == nil, "a fetch ended before the fetch of its zone")
      isFetching = false
    case .willFetchRecordZoneChanges(let event):
      require(isFetching, "the fetch of a zone began outside a fetch")
      require(zone == nil, "two zones were fetched at the same time")
      zone = event.zoneID.zoneName
    case .didFetchRecordZoneChanges(let event):
      require(zone == event.zoneID.zoneName, "the fetch of a zone ended that had not begun")
      zone = nil
    case .fetchedRecordZoneChanges(let event):
      let zones = Set(
        event.modifications.map(\.record.recordID.zoneID.zoneName)
          + event.deletions.map(\.recordID.zoneID.zoneName))
      require(
        zones.isEmpty || zones == [zone], "records of a zone were delivered outside its fetch")
    case .fetchedDatabaseChanges: require(isFetching, "zones were delivered outside a fetch")
    case .willSendChanges:
      require(!isSending, "a send began during another send")
      isSending = true
    case .didSendChanges:
      require(isSending, "a send ended that had not begun")
      isSending = false
    case .sentDatabaseChanges, .sentRecordZoneChanges:
      require(isSending, "changes were sent outside a send")
    case .stateUpdate, .accountChange: return
    @unknown default: require(false, "the engine sent an unknown event")
    }
  }

  /// Remembers that the engine has called the delegate for something other than an event.
  mutating func beginBatch() { call() }

  mutating func end() { isCalled = false }

  private mutating func call() {
    require(!isCalled, "the delegate was called during another call")
    isCalled = true
  }

  private func require(_ holds: Bool, _ otherwise: String) {
    if !holds { ledger.violated("\(device): \(otherwise)") }
  }

  private static func name(of event: CKSyncEngine.Event) -> String {
    switch event {
    case .stateUpdate: "stateUpdate"
    case .accountChange: "accountChange"
    case .fetchedDatabaseChanges: "fetchedDatabaseChanges"
    case .fetchedRecordZoneChanges: "fetchedRecordZoneChanges"
    case .sentDatabaseChanges: "sentDatabaseChanges"
    case .sentRecordZoneChanges: "sentRecordZoneChanges"
    case .willFetchChanges: "willFetchChanges"
    case .willFetchRecordZoneChanges(let event):
      "willFetchRecordZoneChanges \(event.zoneID.zoneName)"
    case .didFetchRecordZoneChanges(let event):
      "didFetchRecordZoneChanges \(event.zoneID.zoneName) \(event.error?.code.rawValue ?? 0)"
    case .didFetchChanges: "didFetchChanges"
    case .willSendChanges: "willSendChanges"
    case .didSendChanges: "didSendChanges"
    @unknown default: "unknown"
    }
  }
}
