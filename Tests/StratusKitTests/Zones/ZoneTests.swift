import Foundation
import StratusKit
import StratusWire
import Testing

@testable import StratusKit

@Suite struct Zones {
  @Test func `IDs are equal by what they say`() {
    let id = CKRecordZone.ID(zoneName: "Notes", ownerName: CKCurrentUserDefaultName)
    #expect(id == CKRecordZone.ID(zoneName: "Notes"))
    #expect(id.hash == CKRecordZone.ID(zoneName: "Notes").hash)
    #expect(id != CKRecordZone.ID(zoneName: "Notes", ownerName: "_other"))
    #expect(id != CKRecordZone.ID(zoneName: "Other"))
    #expect(CKRecordZone.ID.default == CKRecordZone.default().zoneID)
    #expect(CKRecordZone.ID() == .default)
    #expect(CKRecordZone.ID.default.zoneName == "_defaultZone")
    #expect(CKRecordZone.ID.default.ownerName == "__defaultOwner__")
  }

  @Test func `the current user is not named on the wire`() {
    let own = CKRecordZone.ID(zoneName: "Notes")
    #expect(own.wire == ZoneID(zoneName: "Notes"))
    let other = CKRecordZone.ID(zoneName: "Notes", ownerName: "_other")
    #expect(other.wire == ZoneID(zoneName: "Notes", ownerRecordName: "_other"))
  }

  @Test func `the current user is shown by the default name`() {
    let naming = UserNaming(currentUserRecordName: "_me")
    let own = CKRecordZone.ID(
      wire: ZoneID(zoneName: "Notes", ownerRecordName: "_me"), naming: naming)
    #expect(own == CKRecordZone.ID(zoneName: "Notes"))
    let other = CKRecordZone.ID(
      wire: ZoneID(zoneName: "Notes", ownerRecordName: "_you"), naming: naming)
    #expect(other.ownerName == "_you")
    #expect(CKRecordZone.ID(wire: ZoneID(zoneName: "Notes"), naming: naming) == own)
  }

  @Test func `only custom zones from the server have capabilities`() {
    let naming = UserNaming(currentUserRecordName: nil)
    let custom = CKRecordZone(
      wire: ZoneDictionary(zoneID: ZoneID(zoneName: "Notes")), naming: naming)
    #expect(custom.capabilities == [.fetchChanges, .atomic, .sharing, .zoneWideSharing])
    #expect(custom.capabilities.rawValue == 15)
    let standard = CKRecordZone(
      wire: ZoneDictionary(zoneID: ZoneID(zoneName: "_defaultZone")), naming: naming)
    #expect(standard.capabilities.isEmpty)
    #expect(CKRecordZone(zoneName: "Notes").capabilities.isEmpty)
  }

  @Test func `a token is the server's text`() {
    let token = CKServerChangeToken(syncToken: "AQAB-5")
    #expect(token.syncToken == "AQAB-5")
    #expect(token == CKServerChangeToken(syncToken: "AQAB-5"))
    #expect(token != CKServerChangeToken(syncToken: "AQAB-6"))
    #expect(token.copy() as? CKServerChangeToken == token)
  }
}
