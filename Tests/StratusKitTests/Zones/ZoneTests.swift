import Foundation
import StratusKit
import StratusWire
import Testing

@testable import StratusKit

@Suite struct Zones {
  @Test func `zone IDs compare by value`() {
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

  @Test func `the JSON of a zone ID leaves out the current user`() {
    let own = CKRecordZone.ID(zoneName: "Notes")
    #expect(own.wire == ZoneID(zoneName: "Notes"))
    let other = CKRecordZone.ID(zoneName: "Notes", ownerName: "_other")
    #expect(other.wire == ZoneID(zoneName: "Notes", ownerRecordName: "_other"))
  }

  @Test func `zone IDs contain the default owner name for the current user`() {
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

  @Test(
    arguments: [
      // Each row has the server's flags and the zone's expected capabilities. According to Apple, a
      // custom zone has all four, and the default zone has none (CKRecordZone.Capabilities).
      (nil, nil, nil, nil, 15), (true, nil, nil, nil, 15), (false, nil, nil, nil, 0),
      (true, false, nil, nil, 3), (true, true, nil, nil, 15), (true, nil, false, nil, 7),
      (true, nil, nil, false, 11), (true, true, false, false, 3), (true, false, true, nil, 11),
    ] as [(Bool?, Bool?, Bool?, Bool?, UInt)])
  func `the server's flags decide the capabilities of a zone`(
    _ isAtomic: Bool?, _ isSharable: Bool?, _ zoneShare: Bool?, _ hierarchy: Bool?,
    _ capabilities: UInt
  ) {
    let zone = CKRecordZone(
      wire: ZoneDictionary(
        zoneID: ZoneID(zoneName: "Notes"), isAtomic: isAtomic,
        sharing: ZoneDictionary.Sharing(
          isSharable: isSharable, isEligibleForZoneShare: zoneShare,
          isEligibleForHierarchicalShare: hierarchy)),
      naming: UserNaming(currentUserRecordName: nil))
    #expect(zone.capabilities.rawValue == capabilities)
  }

  @Test func `a zone keeps the share that the server names`() throws {
    let naming = UserNaming(currentUserRecordName: "_me")
    let zone = CKRecordZone(
      wire: ZoneDictionary(
        zoneID: ZoneID(zoneName: "Notes", ownerRecordName: "_you"),
        shareRecordName: "cloudkit.zoneshare"),
      naming: naming)
    let share = CKRecord.Reference(
      recordID: CKRecord.ID(recordName: "cloudkit.zoneshare", zoneID: zone.zoneID), action: .none)
    #expect(zone.share == share)
    #expect((zone.copy() as? CKRecordZone)?.share == share)
    let data = try NSKeyedArchiver.archivedData(withRootObject: zone, requiringSecureCoding: true)
    let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecordZone.self, from: data)
    #expect(read?.share == share)
    #expect(CKRecordZone(zoneName: "Notes").share == nil)
  }

  @Test func `a change token contains the server's text`() {
    let token = CKServerChangeToken(syncToken: "AQAB-5")
    #expect(token.syncToken == "AQAB-5")
    #expect(token == CKServerChangeToken(syncToken: "AQAB-5"))
    #expect(token != CKServerChangeToken(syncToken: "AQAB-6"))
    #expect(token.copy() as? CKServerChangeToken == token)
  }
}
