import Foundation
import Testing

@testable import StratusKit

@Suite struct `Sync engine states from the last release before sharing` {
  private static let forms = ["json", "xml.plist", "binary.plist"]

  @Test(arguments: ["fetched-early", "fetched-late"], forms)
  func `an old sync engine state has its user and its change tokens`(name: String, form: String)
    throws
  {
    let saved = try GoldenFiles.engineState(name, form).saved
    #expect(saved.user == .known(recordName: try GoldenFiles.text("userRecordName.alice")))
    let time = name == "fetched-early" ? "early" : "late"
    let zones = ["Notes", "Places", "Again", "Empty"] + (time == "early" ? ["Gone"] : ["Late"])
    #expect(Set(saved.zoneTokens.keys.map(\.zoneName)).isSuperset(of: zones))
    #expect(
      saved.zoneTokens[GoldenFiles.notes]
        == (try GoldenFiles.text("syncToken.zone-token-Notes-\(time)")))
    #expect(
      saved.databaseToken == (try GoldenFiles.text("syncToken.database-token-\(time)")))
    #expect(Set(saved.incarnations.keys).isSuperset(of: saved.zoneTokens.keys))
    #expect(saved.records.elements == [])
    #expect(!saved.hasUntrackedChanges)
  }

  @Test(arguments: ["pending-early", "pending-late"], forms)
  func `an old sync engine state has its pending changes, in order`(name: String, form: String)
    throws
  {
    let saved = try GoldenFiles.engineState(name, form).saved
    let pending = CKRecordZone.ID(zoneName: "Pending")
    #expect(
      saved.records.elements == [
        .saveRecord(GoldenFiles.id("pending-1")), .deleteRecord(GoldenFiles.id("note-5")),
        .saveRecord(GoldenFiles.id("\u{301}odd", in: pending)),
      ])
    #expect(saved.zones.elements.count == 2)
    guard case .saveZone(let zone)? = saved.zones.elements.first,
      case .deleteZone(let zoneID)? = saved.zones.elements.last
    else {
      Issue.record("other changes of zones: \(saved.zones.elements)")
      return
    }
    #expect(zone.zoneID == pending)
    #expect(zone.explicitEncryptionScope == .perZone)
    #expect(zoneID == CKRecordZone.ID(zoneName: "Empty"))
    #expect(saved.hasUntrackedChanges)
  }
}
