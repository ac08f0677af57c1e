import CloudKit
import CoreLocation
import StratusTransport
import Testing

@Suite struct `Encrypted values` {
  @Test func `encrypted values of every kind arrive unchanged on another device`() async throws {
    try await withTwoDevices { _, _, a, b in
      let record = note("n")
      let values = record.encryptedValues
      values["text"] = "Grüße 👋"
      values["whole"] = Int64.min
      values["fraction"] = 0.1
      values["truth"] = true
      let dates = [1.5, 700_000_000.123_456_789].map(Date.init(timeIntervalSinceReferenceDate:))
      values["time"] = dates[1]
      values["times"] = dates
      values["bytes"] = Data([0, 255])
      values["place"] = CLLocation(latitude: 60.5, longitude: -24)
      values["words"] = ["a", "b"]
      values["numbers"] = [1.5, 2]
      let saved = try await a.save(record)
      #expect(saved.encryptedValues.changedKeys() == [])
      #expect(saved.encryptedValues["text"] == "Grüße 👋")
      let found = try await b.record(for: id("n"))
      let read = found.encryptedValues
      #expect(read["text"] as? String == "Grüße 👋")
      #expect(read["whole"] as? Int64 == .min)
      #expect(read["fraction"] as? Double == 0.1)
      #expect(read["truth"] as? Bool == true)
      #expect(read["time"] as? Date == dates[1])
      #expect(read["times"] as? [Date] == dates)
      #expect(read["bytes"] as? Data == Data([0, 255]))
      #expect((read["place"] as? CLLocation)?.coordinate.latitude == 60.5)
      #expect(read["words"] as? [String] == ["a", "b"])
      #expect(read["numbers"] as? [Double] == [1.5, 2])
      #expect(
        read.allKeys() == [
          "bytes", "fraction", "numbers", "place", "text", "time", "times", "truth", "whole",
          "words",
        ])
      #expect(found.allKeys() == [])
      #expect(found.unreadableEncryptedKeys == [])
      read["words"] = [String]()
      read["text"] = nil
      try await b.save(found)
      let last = try await a.record(for: id("n"))
      #expect(last.encryptedValues["words"] as? [String] == [])
      #expect(last.encryptedValues.allKeys().contains("text") == false)
    }
  }

  @Test func `encrypted values arrive with the changes of a zone`() async throws {
    try await withTwoDevices { _, _, a, b in
      let page = try await b.recordZoneChanges(inZoneWith: zoneZ, since: nil)
      #expect(try page.modificationResultsByID[id("first")]?.get().record.text == "the first")
      try await a.save(secret("second", "the second"))
      let next = try await b.recordZoneChanges(inZoneWith: zoneZ, since: page.changeToken)
      #expect(try next.modificationResultsByID[id("second")]?.get().record.text == "the second")
    }
  }

  @Test func `encrypted values arrive only if they are among the desired keys`() async throws {
    try await withTwoDevices { _, _, a, b in
      let record = secret("n", "text")
      record.encryptedValues["mood"] = 5
      try await a.save(record)
      let found = try await b.records(for: [id("n")], desiredKeys: ["title", "mood"])
      let part = try #require(try found[id("n")]?.get())
      #expect(part.encryptedValues.allKeys() == ["mood"])
      #expect(part["title"] == "plain")
      part.encryptedValues["mood"] = 6
      try await b.save(part)
      #expect(try await a.record(for: id("n")).text == "text")
    }
  }

  @Test func `the server's record of a conflict contains its encrypted values`() async throws {
    try await withTwoDevices { _, _, a, b in
      let mine = try await a.record(for: id("first"))
      let theirs = try await b.record(for: id("first"))
      theirs.encryptedValues["text"] = "theirs"
      try await b.save(theirs)
      mine.encryptedValues["text"] = "mine"
      let error = await expect(.serverRecordChanged) { try await a.save(mine) }
      #expect(error?.serverRecord?.text == "theirs")
      #expect(error?.clientRecord?.text == "mine")
      #expect(error?.ancestorRecord?.text == "the first")
      let merged = try #require(error?.serverRecord)
      merged.encryptedValues["text"] = "both"
      try await a.save(merged)
      #expect(try await b.record(for: id("first")).text == "both")
    }
  }

  @Test
  func `unreadable encrypted values in a conflict do not affect other results`() async throws {
    try await withTwoDevices { cloud, keys, a, _ in
      let network = cloud.network([("encryption/keys", .fails(.notConnected))])
      let b = try await cloud.device("b", keys, by: network)
      let theirs = try await a.record(for: id("first"))
      theirs["title"] = "theirs"
      let mine = note("first")
      try await a.save(theirs)
      let new = note("n")
      let (results, _) = try await b.modifyRecords(
        saving: [mine, new], deleting: [], atomically: false)
      let error = #expect(throws: CKError.self) { try results[id("first")]?.get() }
      #expect(error?.code == .serverRecordChanged)
      #expect(error?.serverRecord?["title"] == "theirs")
      #expect(error?.serverRecord?.unreadableEncryptedKeys == ["text"])
      #expect(network.requests("encryption/keys").count == 1)
      #expect(try results[id("n")]?.get().recordChangeTag != nil)
      #expect(new.recordChangeTag != nil)
    }
  }

  @Test(arguments: [CKModifyRecordsOperation.RecordSavePolicy.changedKeys, .allKeys])
  func `encrypted values are merged field by field if the save policy ignores change tags`(
    _ policy: CKModifyRecordsOperation.RecordSavePolicy
  ) async throws {
    try await withTwoDevices { _, _, a, b in
      let mine = try await a.record(for: id("first"))
      let theirs = try await b.record(for: id("first"))
      theirs.encryptedValues["text"] = "theirs"
      theirs.encryptedValues["more"] = "more"
      try await b.save(theirs)
      mine["title"] = "mine"
      let (results, _) = try await a.modifyRecords(
        saving: [mine], deleting: [], savePolicy: policy)
      _ = try results[id("first")]?.get()
      let found = try await b.record(for: id("first"))
      #expect(found["title"] == "mine")
      #expect(found.encryptedValues["more"] == "more")
      #expect(found.text == (policy == .allKeys ? "the first" : "theirs"))
    }
  }

  @Test func `a record in the default zone can have encrypted values`() async throws {
    try await withTwoDevices { _, _, a, b in
      let zoneID = CKRecordZone.ID.default
      try await a.save(secret("d", "default", in: zoneID))
      #expect(try await b.record(for: id("d", in: zoneID)).text == "default")
    }
  }

  @Test func `encrypted values are refused in the public database`() async throws {
    try await withTwoDevices { cloud, keys, _, _ in
      let database = try await cloud.container("a", keys).publicCloudDatabase
      let error = await expect(.invalidArguments) {
        try await database.save(secret("p", "public", in: .default))
      }
      #expect(
        error?.localizedDescription
          == "encrypted fields are not supported in the public database")
    }
  }

  @Test func `a field accepts either encrypted or plain values, not both`() async throws {
    try await withTwoDevices { _, _, a, _ in
      let plain = note("p")
      plain["text"] = "plain"
      let wasEncrypted = await expect(.invalidArguments) { try await a.save(plain) }
      #expect(wasEncrypted?.localizedDescription.contains("ENCRYPTED_STRING") == true)
      let encrypted = note("q")
      encrypted.encryptedValues["title"] = "encrypted"
      let wasPlain = await expect(.invalidArguments) { try await a.save(encrypted) }
      #expect(
        wasPlain?.localizedDescription.contains(
          "Attempt to save encrypted data in non encrypted field type") == true)
    }
  }

  @Test func `a device requests keys once, and only for encrypted values`() async throws {
    try await withTwoDevices { cloud, keys, _, _ in
      let network = cloud.network()
      let device = try await cloud.device("b", keys, by: network)
      try await device.saveNotes(["x", "y"])
      _ = try await device.record(for: id("x"))
      #expect(network.requests("encryption/keys").isEmpty)
      for name in ["s", "t"] { try await device.save(secret(name, name)) }
      _ = try await device.record(for: id("first"))
      #expect(network.requests("encryption/keys").count == 1)
      #expect(network.requests("encryption/wrap").isEmpty)
      #expect(network.requests("encryption/register").isEmpty)
    }
  }
}
