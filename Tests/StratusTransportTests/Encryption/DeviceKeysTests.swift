import Foundation
import Testing

@testable import StratusTransport

@Suite struct `A recovery key` {
  @Test
  func `a recovery key can be read in its printed form and in the forms that people type`() throws {
    let key = RecoveryKey(try Fixture.accountKey())
    #expect(key.text.split(separator: "-").map(\.count) == [Int](repeating: 4, count: 14))
    #expect(RecoveryKey(text: key.text) == key)
    #expect(RecoveryKey(text: key.text.lowercased().replacing("-", with: " ") + "\n") == key)
    let misread = key.text.replacing("0", with: "o").replacing("1", with: "l")
    #expect(RecoveryKey(text: misread) == key)
  }

  /// A random text passes the checksum of 24 bits once in 16 million cases.
  @Test func `a recovery key with a wrong or missing letter is refused`() throws {
    let text = RecoveryKey(try Fixture.accountKey()).text
    for place in text.indices where text[place] != "-" {
      var wrong = text
      let letter: Character = text[place] == "7" ? "8" : "7"
      wrong.replaceSubrange(place...place, with: String(letter))
      #expect(RecoveryKey(text: wrong) == nil)
    }
    #expect(RecoveryKey(text: String(text.dropLast())) == nil)
    #expect(RecoveryKey(text: text + "0") == nil)
    #expect(RecoveryKey(text: "") == nil)
  }

  @Test func `different account keys have different fingerprints of 8 characters`() throws {
    let key = try Fixture.accountKey()
    #expect(key.fingerprint.count == 8)
    #expect(key.fingerprint != (try Fixture.accountKey(2)).fingerprint)
  }
}

@Suite struct `The key file` {
  @Test
  func `the key file is created with the first key and can be read only by its owner`() throws {
    try Fixture.inFolder { folder in
      let file = folder.appendingPathComponent("a/keys.json")
      let keys = DeviceKeys(file: file)
      #expect(try keys.all() == [])
      let made = try keys.newest { [UInt8](repeating: 5, count: $0) }
      #expect(try DeviceKeys(file: file).all() == [made])
      let again = try keys.newest { [UInt8](repeating: 6, count: $0) }
      #expect(again == made)
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
      #expect((mode as? NSNumber)?.intValue == 0o600)
    }
  }

  @Test func `the key file contains the newest key first, and each key once`() throws {
    try Fixture.inFolder { folder in
      let keys = DeviceKeys(file: folder.appendingPathComponent("keys.json"))
      let (a, b) = (try Fixture.accountKey(1), try Fixture.accountKey(2))
      try keys.add(a)
      try keys.add(b)
      try keys.add(a)
      #expect(try keys.all() == [a, b])
    }
  }

  @Test func `a key file that is damaged or that others can read is not used`() throws {
    try Fixture.inFolder { folder in
      let file = folder.appendingPathComponent("keys.json")
      let keys = DeviceKeys(file: file)
      try keys.add(try Fixture.accountKey())
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
      #expect(throws: KeyFailure.self) { try keys.all() }
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      #expect(try keys.all().count == 1)
      let text = try String(contentsOf: file, encoding: .utf8)
      for damaged in ["", "{", text.replacing("1", with: "2")] {
        try Data(damaged.utf8).write(to: file)
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o600], ofItemAtPath: file.path)
        #expect(throws: KeyFailure.self) { try keys.all() }
        // NB: a damaged file must not be replaced by a new file. The keys of the damaged file would
        // be lost, although a repair could save the keys.
        #expect(throws: KeyFailure.self) { try keys.add(try Fixture.accountKey(2)) }
        #expect(try String(contentsOf: file, encoding: .utf8) == damaged)
      }
    }
  }

  @Test func `without a file location, no key exists and no key is created`() throws {
    let keys = DeviceKeys(file: nil)
    #expect(throws: KeyFailure.self) { try keys.newest { [UInt8](repeating: 5, count: $0) } }
    #expect(throws: KeyFailure.self) { try keys.add(try Fixture.accountKey()) }
    #expect(try keys.all() == [])
  }

  @Test func `the key file loses no key when many callers add keys at the same time`() throws {
    try Fixture.inFolder { folder in
      let file = folder.appendingPathComponent("keys.json")
      let fresh = try (0..<40).map { try Fixture.accountKey(UInt8($0) * 3) }
      DispatchQueue.concurrentPerform(iterations: fresh.count) { index in
        try? DeviceKeys(file: file).add(fresh[index])
      }
      #expect(Set(try DeviceKeys(file: file).all()) == Set(fresh))
    }
  }

  @Test func `the key file is beside the credentials file unless a variable names another path`() {
    #expect(
      DeviceKeys.location(environmentVariables: ["HOME": "/home/ann"])?.path
        == "/home/ann/.config/stratus/keys.json")
    #expect(
      DeviceKeys.location(environmentVariables: ["HOME": "/home/ann", "STRATUS_KEYS": "/k/x"])?
        .path == "/k/x")
    #expect(DeviceKeys.location(environmentVariables: [:]) == nil)
  }
}
