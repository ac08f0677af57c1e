import CloudKit
import StratusTransport
import StratusWire
import Testing

/// See docs/internals/encryption.md, "First use on two devices at once" and "A device without the
/// key".
@Suite struct `The key of an account` {
  @Test func `a missing account key gives a clear error and loses no data`() async throws {
    try await withTwoDevices { cloud, keys, a, _ in
      let c = try await cloud.device("c", keys)
      let record = try await c.record(for: id("first"))
      #expect(record["title"] == "plain")
      #expect(record.text == nil)
      #expect(record.encryptedValues.allKeys() == [])
      #expect(record.unreadableEncryptedKeys == ["text"])
      for policy in [
        CKModifyRecordsOperation.RecordSavePolicy.ifServerRecordUnchanged, .changedKeys, .allKeys,
      ] {
        record["title"] = "changed \(policy)"
        let (results, _) = try await c.modifyRecords(
          saving: [record], deleting: [], savePolicy: policy)
        _ = try results[id("first")]?.get()
        #expect(try await a.record(for: id("first")).text == "the first")
      }
      record.encryptedValues["text"] = "overwritten"
      let error = await expect(.notAuthenticated) { try await c.save(record) }
      #expect(error?.localizedDescription.contains("stratus keys import") == true)
      record.encryptedValues["text"] = nil
      await expect(.notAuthenticated) { try await c.save(record) }
      #expect(try await a.record(for: id("first")).text == "the first")
      try keys.move(from: "a", to: "c")
      #expect(try await c.record(for: id("first")).text == "the first")
    }
  }

  @Test func `without the account key, only the records that need the key fail`() async throws {
    try await withTwoDevices { cloud, keys, _, _ in
      let c = try await cloud.device("c", keys)
      let (results, _) = try await c.modifyRecords(
        saving: [secret("s", "x"), note("n")], deleting: [], atomically: false)
      #expect(code(results[id("s")]) == .notAuthenticated)
      #expect(throws: Never.self) { try results[id("n")]?.get() }
      let (atomic, _) = try await c.modifyRecords(
        saving: [secret("s", "x"), note("m")], deleting: [])
      #expect(code(atomic[id("s")]) == .notAuthenticated)
      #expect(code(atomic[id("m")]) == .batchRequestFailed)
    }
  }

  @Test
  func `two devices that start to use a zone's encryption at the same time get the same keys`()
    async throws
  {
    try await withCloud { cloud in
      let keys = KeyFolder()
      _ = try DeviceKeys(file: keys.file("a")).newest { [UInt8](repeating: 1, count: $0) }
      try keys.move(from: "a", to: "b")
      let gates = ["encryption/register", "encryption/wrap"].map { ($0, Gate()) }
      let slow = cloud.network(gates.map { ($0, .waits($1)) })
      let a = try await cloud.device("a", keys)
      let b = try await cloud.device("b", keys, by: slow)
      try await a.save(CKRecordZone(zoneID: zoneZ))
      // Device b finds no zone key on the server and creates one. Then device a stores its zone key
      // before device b.
      async let saved = b.save(secret("b", "from b"))
      await gates[0].1.arrival()
      gates[0].1.open()
      await gates[1].1.arrival()
      try await a.save(secret("a", "from a"))
      gates[1].1.open()
      _ = try await saved
      #expect(try await a.record(for: id("b")).text == "from b")
      #expect(try await b.record(for: id("a")).text == "from a")
      let c = try await cloud.device("b", keys)
      #expect(try await c.record(for: id("b")).text == "from b")
    }
  }

  @Test
  func `the first registered key wins if two devices create an account key at the same time`()
    async throws
  {
    try await withCloud { cloud in
      let keys = KeyFolder()
      let gate = Gate()
      let slow = cloud.network([("encryption/register", .waits(gate))])
      let a = try await cloud.device("a", keys)
      let b = try await cloud.device("b", keys, by: slow)
      try await a.save(CKRecordZone(zoneID: zoneZ))
      async let refused = expect(.notAuthenticated) { try await b.save(secret("b", "from b")) }
      await gate.arrival()
      try await a.save(secret("a", "from a"))
      gate.open()
      _ = await refused
      try keys.move(from: "a", to: "b")
      try await b.save(secret("b", "from b"))
      #expect(try await a.record(for: id("b")).text == "from b")
    }
  }

  @Test
  func `both devices use the new zone key of a zone that was created again`() async throws {
    try await withTwoDevices { _, _, a, b in
      _ = try await b.record(for: id("first"))
      try await b.save(secret("old", "old"))
      try await a.deleteRecordZone(withID: zoneZ)
      try await a.save(CKRecordZone(zoneID: zoneZ))
      // Device b still has the old zone's key in memory when it saves into the new zone.
      try await b.save(secret("new", "from b"))
      #expect(try await a.record(for: id("new")).text == "from b")
      try await a.save(secret("newer", "from a"))
      #expect(try await b.record(for: id("newer")).text == "from a")
    }
  }

  @Test
  func `an account key is stored on the device before it is sent to the server`() async throws {
    try await withCloud { cloud in
      let keys = KeyFolder()
      let network = cloud.network([("encryption/register", .fails(.notConnected))])
      let a = try await cloud.device("a", keys, by: network)
      try await a.save(CKRecordZone(zoneID: zoneZ))
      await expect(.networkUnavailable) { try await a.save(secret("a", "a")) }
      #expect(try DeviceKeys(file: keys.file("a")).all().count == 1)
      try await a.save(secret("a", "a"))
      #expect(try DeviceKeys(file: keys.file("a")).all().count == 1)
      #expect(try await cloud.device("a", keys).record(for: id("a")).text == "a")
    }
  }

  @Test func `an account key is not created if there is no file to store it`() async throws {
    try await withCloud { cloud in
      let keys = KeyFolder()
      let a = try await cloud.device("a", keys)
      try await a.save(CKRecordZone(zoneID: zoneZ))
      let ring = KeyRing(
        connection: try await cloud.connection(), deviceKeys: DeviceKeys(file: nil),
        randomness: { [UInt8](repeating: 1, count: $0) })
      await #expect {
        _ = try await ring.sealingKey(of: ZoneID(zoneName: "Z"), options: Connection.Options())
      } throws: { error in
        guard case .unusable(let reason) = error as? KeyFailure else { return false }
        return reason.contains("STRATUS_KEYS")
      }
      #expect(try await cloud.accountKeys("a", keys).standing() == .unused)
    }
  }

  @Test
  func `a key file that other users may read is not used, but plain fields still arrive`()
    async throws
  {
    try await withTwoDevices { _, keys, _, b in
      let path = keys.file("b").path
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
      let record = try await b.record(for: id("first"))
      #expect(record["title"] == "plain")
      #expect(record.text == nil)
      #expect(record.unreadableEncryptedKeys == ["text"])
      let error = await expect(.internalError) { try await b.save(secret("s", "x")) }
      #expect(error?.localizedDescription.contains("0600") == true)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      #expect(try await b.record(for: id("first")).text == "the first")
    }
  }

  @Test func `a second account on the same device reads its own encrypted values`() async throws {
    try await withTwoDevices { cloud, keys, _, _ in
      let bob = try await cloud.device("a", keys, of: "bob@example.org")
      try await bob.save(CKRecordZone(zoneID: zoneZ))
      try await bob.save(secret("first", "Bob's"))
      #expect(try await bob.record(for: id("first")).text == "Bob's")
    }
  }
}
