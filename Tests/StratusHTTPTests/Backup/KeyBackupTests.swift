import Foundation
import StratusDomain
import StratusTesting
import Testing

@testable import StratusServer

/// The copies of the server's own keys.
@Suite struct `Copies of the key file` {
  @Test func `a copy of the key file is restored only into a folder without keys`() async throws {
    try await KeyFolder.with { url in
      let (data, copy) = (
        url.appendingPathComponent("data"), url.appendingPathComponent("copy.keys")
      )
      let server = try await TestServer(onDiskIn: data)
      await server.stop()
      let before = try Data(contentsOf: KeyBackup.file(in: data))
      try KeyBackup.copy(of: data, to: copy)
      let mode = try FileManager.default.attributesOfItem(atPath: copy.path)[.posixPermissions]
      #expect((mode as? NSNumber)?.intValue == 0o600)
      #expect(throws: BackupFailure.self) { try KeyBackup.restore(copy, to: data) }
      #expect(throws: BackupFailure.self) { try KeyBackup.copy(of: data, to: copy) }
      try FileManager.default.removeItem(at: KeyBackup.file(in: data))
      try KeyBackup.restore(copy, to: data)
      #expect(try Data(contentsOf: KeyBackup.file(in: data)) == before)
    }
  }

  @Test func `the list of the server's keys shows rotated keys but no secrets`() async throws {
    try await KeyFolder.with { url in
      let file = try KeyFile(data: url)
      _ = try file.keys(for: "a", orKeep: [1, 2, 3])
      // printf '\1\2\3' | sha256sum
      let first = KeyBackup.Item(purpose: "a", number: 1, digest: "039058c6")
      #expect(try KeyBackup.items(ofFile: KeyBackup.file(in: url)) == [first])
      try file.rotate("a", to: [4])
      // printf '\4' | sha256sum
      let newest = KeyBackup.Item(purpose: "a", number: 2, digest: "e52d9c50")
      #expect(try KeyBackup.items(ofFile: KeyBackup.file(in: url)) == [newest, first])
    }
  }

  @Test func `a damaged copy of the keys is refused`() async throws {
    try await KeyFolder.with { url in
      let copy = url.appendingPathComponent("copy.keys")
      try Data("a 1 xyz\n".utf8).write(to: copy)
      #expect(throws: BackupFailure.self) {
        try KeyBackup.restore(copy, to: url.appendingPathComponent("data"))
      }
      #expect(!FileManager.default.fileExists(atPath: url.appendingPathComponent("data").path))
    }
  }

  @Test func `a running server writes a lost key file again when a key is rotated`() async throws {
    try await KeyFolder.with { url in
      let file = try KeyFile(data: url)
      _ = try file.keys(for: "a", orKeep: [1])
      _ = try file.keys(for: "b", orKeep: [2])
      try FileManager.default.removeItem(at: KeyBackup.file(in: url))
      try file.rotate("a", to: [3])
      let fresh = try KeyFile(data: url)
      #expect(try fresh.keys(for: "a", orKeep: [9]).map(\.bytes) == [[3], [1]])
      #expect(try fresh.keys(for: "b", orKeep: [9]).map(\.bytes) == [[2]])
    }
  }
}
