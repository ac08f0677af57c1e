import Foundation
import StratusTransport
import StratusWire
import Testing

@testable import StratusKit

@Suite struct `An asset` {
  private let url = URL(fileURLWithPath: "/tmp/a photo.jpg")

  @Test func `an asset in a record stays the same object and equals only itself`() {
    let record = note("a")
    let asset = CKAsset(fileURL: url)
    record["photo"] = asset
    #expect(record["photo"] as? CKAsset === asset)
    let typed: CKAsset? = record["photo"]
    #expect(typed === asset)
    #expect(asset.fileURL == url)
    #expect(asset != CKAsset(fileURL: url))
    #expect((record.copy() as? CKRecord)?["photo"] as? CKAsset === asset)
    #expect(record.allKeys() == ["photo"])
    #expect(record.changedKeys() == ["photo"])
    #expect(record["photo"] as? String == nil)
  }

  @Test func `an asset can be an element of a list`() {
    let record = note("a")
    let assets = [CKAsset(fileURL: url), CKAsset(fileURL: url)]
    record["photos"] = assets
    #expect(record["photos"] as? [CKAsset] == assets)
    let typed: [CKAsset]? = record["photos"]
    #expect(typed == assets)
    #expect(record["photos"] as? [String] == nil)
  }

  @Test func `an asset is archived with its record`() throws {
    let record = try WireRecords.note(fields: [
      "photo": .asset(
        Asset(
          fileChecksum: "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", size: 3,
          downloadURL: "https://cloud.example.org/assets/1"))
    ])
    (record["photo"] as? CKAsset)?.receive(url)
    record["photos"] = [CKAsset(fileURL: url)]
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: record, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data))
    #expect(read.allKeys() == ["photo", "photos"])
    #expect(read.changedKeys() == ["photos"])
    let photo = try #require(read["photo"] as? CKAsset)
    #expect(photo.fileURL == url)
    #expect(photo.held?.checksum == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
    #expect(photo.held?.size == 3)
    #expect(photo.held?.recordID == record.recordID)
    #expect(photo.held?.fieldName == "photo")
    #expect((read["photos"] as? [CKAsset])?.first?.fileURL == url)
    #expect((read["photos"] as? [CKAsset])?.first?.held == nil)
  }

  @Test func `an asset that was archived without a file has no file URL`() throws {
    let record = try WireRecords.note(fields: [
      "photo": .asset(Asset(fileChecksum: "", size: 0))
    ])
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: record, requiringSecureCoding: true)
    let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data)
    #expect((read?["photo"] as? CKAsset)?.fileURL == nil)
    #expect(read?.allKeys() == ["photo"])
  }
}
