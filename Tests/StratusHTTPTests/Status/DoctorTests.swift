import Foundation
import StratusServer
import StratusTesting
import StratusWire
import Testing

func temporaryFolder() -> URL {
  FileManager.default.temporaryDirectory.appendingPathComponent("stratus-doctor-\(UUID())")
}

/// `stratus doctor` on a data folder.
@Suite(.enabled(if: TestEngine.hasFiles, "it reads the files of SQLite"))
struct `The doctor command` {
  /// Makes a folder that a server has used, and passes it to the body.
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try await TestServer(folder: folder)
    let anna = try await server.client("anna@example.org")
    try await anna.save("n", fields: ["title": ["value": "Milk"]])
    var production = anna
    production.environment = "production"
    try await production.save("n", fields: ["title": ["value": "Milk"]])
    await server.stop()
    // `stratus serve` gives files these permissions by its umask.
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let full = folder.appendingPathComponent(path).path
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: full, isDirectory: &isFolder)
      chmod(full, isFolder.boolValue ? 0o700 : 0o600)
    }
    try await body(folder)
  }

  private func problems(in folder: URL) -> [String] {
    Doctor(data: folder).findings().filter { $0.severity == .problem }.map(\.name)
  }

  private func store(_ environment: String, in folder: URL) -> URL {
    folder.appendingPathComponent("iCloud.org.example.Notes/\(environment).sqlite")
  }

  @Test func `in a good folder, the doctor reports only what is missing in production`()
    async throws
  {
    try await withFolder { folder in
      let findings = Doctor(data: folder).findings()
      #expect(findings.first?.name == "production-lacks")
      #expect(findings.first?.sentence.contains("the record type 'Note'") == true)
      #expect(problems(in: folder) == ["production-lacks"])
      #expect(Findings(findings).hasProblem)
      #expect(findings.allSatisfy { $0.severity == .note || $0.fix != nil })
    }
  }

  @Test func `the doctor works while a server runs`() async throws {
    try await withFolder { folder in
      let server = try await TestServer(folder: folder)
      try await server.client("anna@example.org").save("m")
      let names = problems(in: folder).filter { $0 != "files-open" }
      #expect(names == ["production-lacks"])
      await server.stop()
    }
  }

  @Test
  func `the doctor finds a missing store, a damaged store and a replaced store`() async throws {
    try await withFolder { folder in
      let file = store("development", in: folder)
      let good = try Data(contentsOf: file)
      try FileManager.default.removeItem(at: file)
      #expect(problems(in: folder).contains("store-missing"))
      var damaged = good
      for index in 4_096..<min(12_288, good.count) { damaged[index] = 0x5A }
      try damaged.write(to: file)
      #expect(problems(in: folder).contains("store-damaged"))
      try Data("no database".utf8).write(to: file)
      #expect(problems(in: folder).contains("store-damaged"))
      try FileManager.default.removeItem(at: file)
      try FileManager.default.copyItem(at: store("production", in: folder), to: file)
      #expect(problems(in: folder).contains("store-replaced"))
      try good.write(to: file)
      // The files written by this test have default permissions, so the doctor also finds
      // `files-open`.
      #expect(problems(in: folder).filter { $0 != "files-open" } == ["production-lacks"])
    }
  }

  /// SQLite writes the first page of a file before the server creates the tables.
  @Test func `a crash before a store's tables were created is no problem`() async throws {
    try await withFolder { folder in
      var page = [UInt8](repeating: 0, count: 4_096)
      // The header of the file (https://sqlite.org/fileformat.html): the size of a page, the
      // versions, three constants, the counter of changes, and the number of pages.
      page.replaceSubrange(0..<16, with: Array("SQLite format 3\0".utf8))
      page.replaceSubrange(16..<24, with: [0x10, 0, 1, 1, 0, 64, 32, 32])
      (page[27], page[31], page[95]) = (1, 1, 1)
      // The page contains an empty table of tables, `sqlite_schema`.
      (page[100], page[105]) = (0x0D, 0x10)
      let file = folder.appendingPathComponent("iCloud.org.example.Other/development.sqlite")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try Data(page).write(to: file)
      chmod(file.path, 0o600)
      let findings = Doctor(data: folder).findings()
      #expect(findings.contains { $0.name == "store-empty" })
      #expect(problems(in: folder) == ["production-lacks"])
      // An empty file in place of a store that the registry knows means that the store has lost its
      // data.
      let known = store("development", in: folder)
      try FileManager.default.removeItem(at: known)
      try Data(page).write(to: known)
      chmod(known.path, 0o600)
      #expect(problems(in: folder).contains("store-missing"))
    }
  }

  @Test func `the doctor finds missing and damaged keys, and a missing registry`() async throws {
    try await withFolder { folder in
      let keys = folder.appendingPathComponent("keys/server.keys")
      try Data("rubbish".utf8).write(to: keys)
      chmod(keys.path, 0o600)
      #expect(problems(in: folder).contains("keys-unreadable"))
      try FileManager.default.removeItem(at: keys)
      #expect(problems(in: folder).contains("keys-missing"))
      try FileManager.default.removeItem(at: folder.appendingPathComponent("server.sqlite"))
      #expect(problems(in: folder).contains("registry-missing"))
    }
  }

  @Test func `the doctor finds files that other users can read`() async throws {
    try await withFolder { folder in
      chmod(store("development", in: folder).path, 0o644)
      let finding = Doctor(data: folder).findings().first { $0.name == "files-open" }
      #expect(finding?.sentence.contains("development.sqlite") == true)
      #expect(finding?.fix?.contains("chmod") == true)
    }
  }

  @Test func `the doctor reports a missing data folder`() {
    #expect(problems(in: temporaryFolder()) == ["folder-missing"])
  }
}
