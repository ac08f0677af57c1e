import Foundation
import StratusDomain
import StratusTesting
import Testing

@testable import StratusServer

@Suite struct `The server's key file` {
  @Test
  func `a stored key is not replaced, and two rotations leave the two newest keys`() async throws {
    try await KeyFolder.with { url in
      let first = try KeyFile(data: url)
      #expect(try first.keys(for: "a", orKeep: [1, 255]) == [SigningKey(id: 1, bytes: [1, 255])])
      #expect(try first.keys(for: "a", orKeep: [2]) == [SigningKey(id: 1, bytes: [1, 255])])
      try first.rotate("a", to: [3])
      try first.rotate("a", to: [4])
      let expected = [SigningKey(id: 3, bytes: [4]), SigningKey(id: 2, bytes: [3])]
      #expect(try first.keys(for: "a", orKeep: [5]) == expected)
      #expect(try KeyFile(data: url).keys(for: "a", orKeep: [5]) == expected)
    }
  }

  /// The test opens the key file twice, as two processes would.
  @Test
  func `the key file shows a rotation to every process that has opened the file`() async throws {
    try await KeyFolder.with { url in
      let (one, other) = (try KeyFile(data: url), try KeyFile(data: url))
      #expect(try one.keys(for: "a", orKeep: [1]).map(\.bytes) == [[1]])
      #expect(try other.keys(for: "a", orKeep: [2]).map(\.bytes) == [[1]])
      try other.rotate("a", to: [3])
      try one.rotate("b", to: [9])
      #expect(try one.keys(for: "a", orKeep: [2]).map(\.bytes) == [[3], [1]])
      try one.rotate("a", to: [4])
      #expect(try other.keys(for: "a", orKeep: [2]).map(\.bytes) == [[4], [3]])
      #expect(try other.keys(for: "b", orKeep: [2]).map(\.bytes) == [[9]])
    }
  }

  @Test
  func `the key file loses no key when several writers change it at the same time`() async throws {
    try await KeyFolder.with { url in
      let files = try (0..<4).map { _ in try KeyFile(data: url) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, file) in files.enumerated() {
          group.addTask {
            for round in 0..<5 { _ = try file.keys(for: "\(number)-\(round)", orKeep: [1]) }
          }
        }
        try await group.waitForAll()
      }
      let last = try KeyFile(data: url)
      for number in 0..<4 {
        for round in 0..<5 {
          #expect(try last.keys(for: "\(number)-\(round)", orKeep: [2]).map(\.bytes) == [[1]])
        }
      }
    }
  }

  @Test func `only the owner of the key file can read it`() async throws {
    try await KeyFolder.with { url in
      _ = try KeyFile(data: url).keys(for: "a", orKeep: [1])
      for path in ["keys", "keys/server.keys"] {
        let file = url.appendingPathComponent(path).path
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        let permissions = try #require((mode as? NSNumber)?.intValue)
        #expect(permissions & 0o077 == 0, "\(path)")
      }
    }
  }

  @Test func `the key file adopts the secrets of an earlier release only once`() async throws {
    try await KeyFolder.with { url in
      let keys = try KeyFile(data: url)
      try keys.adopt(["web auth tokens": [1], "developer API token": [2]])
      try keys.adopt(["web auth tokens": [9]])
      #expect(try keys.keys(for: SigningPurpose.webAuthTokens, orKeep: [3]).map(\.bytes) == [[1]])
      #expect(
        try keys.keys(for: SigningPurpose.developerAPIToken, orKeep: [3]).map(\.bytes) == [[2]])
    }
  }

  @Test func `a damaged key file is refused`() async throws {
    try await KeyFolder.with { url in
      _ = try KeyFile(data: url).keys(for: "a", orKeep: [1])
      try Data("a 1 xyz\n".utf8).write(to: KeyFile.location(in: url))
      #expect(throws: KeyFileFailure.self) { try KeyFile(data: url) }
    }
  }

  @Test(.enabled(if: TestEngine.hasFiles, "it reads the files of SQLite"))
  func `a backup copies the key file only on request, into a separate file`() async throws {
    try await KeyFolder.with { url in
      let data = url.appendingPathComponent("data")
      let server = try await TestServer(onDiskIn: data)
      await server.stop()
      let backup = url.appendingPathComponent("backup")
      _ = try Backup.make(of: data, at: backup)
      #expect(!FileManager.default.fileExists(atPath: KeyFile.location(in: backup).path))
      let keys = url.appendingPathComponent("server.keys")
      _ = try Backup.make(of: data, at: url.appendingPathComponent("second"), keys: keys)
      let restored = url.appendingPathComponent("restored")
      _ = try Backup.restore(backup, to: restored, keys: keys)
      #expect(
        try Data(contentsOf: KeyFile.location(in: restored))
          == Data(contentsOf: KeyFile.location(in: data)))
    }
  }
}

@Suite(.enabled(if: TestEngine.hasFiles, "it reads the files of SQLite"))
struct `A damaged registry file` {
  @Test func `a damaged registry file is reported in one sentence`() async throws {
    try await KeyFolder.with { url in
      let data = url.appendingPathComponent("data")
      let server = try await TestServer(onDiskIn: data)
      await server.stop()
      let file = data.appendingPathComponent("server.sqlite")
      try Data(repeating: 7, count: 8_192).write(to: file)
      let error = await #expect(throws: StorageFailure.self) {
        try await TestServer(onDiskIn: data)
      }
      let sentence = try #require(error?.description)
      #expect(sentence.contains(file.path) && sentence.contains("restore the file from a backup"))
      #expect(!sentence.contains("ServerError") && !sentence.contains("\n"))
    }
  }
}

enum KeyFolder {
  /// Runs a body with a folder for one test, and removes the folder afterwards.
  static func with(_ body: (URL) async throws -> Void) async throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-keys-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: url) }
    try await body(url)
  }
}
