import Foundation
import Testing

@testable import StratusKit

@Suite struct `The state of a sync engine` {
  private func coded(_ state: SyncState) throws -> (SyncState, Data) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(CKSyncEngine.State.Serialization(state))
    let back = try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: data)
    return (SyncState(back.saved), data)
  }

  private func full() -> SyncState {
    var state = SyncState()
    state.adopt("_ann")
    state.setDatabaseToken("d1")
    let shared = CKRecordZone.ID(zoneName: "Z", ownerName: "_bob")
    state.setToken("z1", of: zoneZ)
    state.setToken("s1", of: shared)
    state.setIncarnation("7", of: zoneZ)
    state.setIncarnation("8", of: zoneY)
    state.markUnfetched(zoneY)
    state.markUnfetched(shared)
    state.add([save("\u{301}a"), delete("b"), save("c", in: shared), save("d")])
    let zone = CKRecordZone(zoneID: zoneY)
    zone.encryptionScope = .perZone
    state.add([.saveZone(zone), .deleteZone(shared)])
    state.setUntrackedChanges(true)
    state.setSubscriptionID("S")
    return state
  }

  @Test func `the state of a sync engine is equal after a round trip through JSON`() throws {
    let state = full()
    let (back, _) = try coded(state)
    #expect(back.user == .known(recordName: "_ann"))
    #expect(back.databaseToken == "d1")
    #expect(back.zoneTokens == state.zoneTokens)
    #expect(back.incarnations == [zoneZ: "7", zoneY: "8"])
    #expect(back.unfetchedZones.elements == state.unfetchedZones.elements)
    #expect(back.records.elements == state.records.elements)
    #expect(back.zones.elements == state.zones.elements)
    guard case .saveZone(let zone)? = back.zones.elements.first else {
      Issue.record("the state must contain a zone to save")
      return
    }
    #expect(zone.encryptionScope == .perZone)
    #expect(back.hasUntrackedChanges)
    #expect(back.subscriptionID == "S")
  }

  @Test func `the state of a sync engine always encodes to the same text`() throws {
    #expect(try coded(full()).1 == coded(full()).1)
    #expect(try coded(full()).1 == coded(coded(full()).0).1)
  }

  @Test
  func `the state of a sync engine is equal after a round trip through a property list`() throws {
    let data = try PropertyListEncoder().encode(CKSyncEngine.State.Serialization(full()))
    let back = try PropertyListDecoder().decode(
      CKSyncEngine.State.Serialization.self, from: data)
    #expect(SyncState(back.saved).records.elements == full().records.elements)
  }

  @Test func `the state of a sync engine remembers that no user was signed in`() throws {
    var state = SyncState()
    #expect(try coded(state).0.user == .unknown)
    state.adopt(nil)
    #expect(try coded(state).0.user == .nobody)
  }

  @Test(
    arguments: [
      "{}", #"{"version": 2}"#, "[]",
      #"{"version":1,"zones":[],"unfetchedZones":[],"pendingRecordChanges":[{"zone":{"name":""},"#
        + #""changes":[]}],"pendingZoneChanges":[],"hasPendingUntrackedChanges":false}"#,
      #"{"version":1,"zones":[],"unfetchedZones":[],"pendingRecordChanges":[{"zone":{"name":"Z"},"#
        + #""changes":["a"]}],"pendingZoneChanges":[],"hasPendingUntrackedChanges":false}"#,
    ])
  func `a sync engine's state of an unknown format is refused`(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: Data(text.utf8))
    }
  }

  /// Seed 3000561 of the simulation: a device sent the same deletion twice. The repeated deletion
  /// removed the record that another device had created in between.
  @Test
  func `after a send, deletions added during its preparation are done, and saves are pending`() {
    var state = SyncState()
    state.add([save("early")])
    let stamp = state.beginBatch()
    state.add([save("late"), delete("gone")])
    let handedOver = state.beginBatch()
    state.settle(
      [save("early"), save("late"), delete("gone")], batch: stamp, handedOver: handedOver)
    #expect(state.records.elements == [save("late")])
  }

  @Test func `a pending deletion that is added again during its send is kept`() {
    var state = SyncState()
    state.add([delete("A")])
    let stamp = state.beginBatch()
    let handedOver = state.beginBatch()
    state.add([save("A")])
    state.add([delete("A")])
    state.settle([delete("A")], batch: stamp, handedOver: handedOver)
    #expect(state.records.elements == [delete("A")])
  }

  private typealias Change = CKSyncEngine.Event.AccountChange.ChangeType

  @Test func `the account change is derived from the previous and the current user`() {
    let (ann, bob) = (CKRecord.ID(recordName: "_ann"), CKRecord.ID(recordName: "_bob"))
    var state = SyncState()
    #expect(state.accountChange(to: nil) == nil)
    #expect(state.accountChange(to: "_ann") == .signIn(currentUser: ann))
    state.adopt("_ann")
    #expect(state.accountChange(to: "_ann") == nil)
    #expect(state.accountChange(to: nil) == .signOut(previousUser: ann))
    #expect(
      state.accountChange(to: "_bob") == .switchAccounts(previousUser: ann, currentUser: bob))
    state.adopt(nil)
    #expect(state.accountChange(to: nil) == nil)
    #expect(state.accountChange(to: "_bob") == .signIn(currentUser: bob))
  }

  @Test(arguments: [nil, "_bob"])
  func `the state of a sync engine is empty after its user signs out or another user signs in`(
    next: String?
  ) {
    var state = full()
    let before = state.revision
    state.adopt(next)
    #expect(state.records.isEmpty && state.zones.isEmpty && state.unfetchedZones.isEmpty)
    #expect(state.databaseToken == nil && state.zoneTokens.isEmpty && state.incarnations.isEmpty)
    #expect(!state.hasUntrackedChanges && state.subscriptionID == nil)
    #expect(state.revision > before)
  }

  @Test
  func `the state of a sync engine keeps changes that were added before the account was read`() {
    var state = SyncState()
    state.add([save("A")])
    state.adopt("_ann")
    #expect(state.records.elements == [save("A")])
  }
}
