import Foundation
import StratusTransport
import StratusWire
import Testing

@Suite struct `Saved operations` {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("stratus-test-\(UUID().uuidString)", isDirectory: true)

  private func operations(_ container: String = "iCloud.org.example.App") -> SavedOperations {
    SavedOperations(
      in: folder,
      of: Connection.Address(
        url: "https://cloud.example.org", container: container, environment: .development,
        deviceID: "D"))
  }

  private var now: Double { Date().timeIntervalSince1970 }

  private func withFolder(_ body: () throws -> Void) rethrows {
    defer { try? FileManager.default.removeItem(at: folder) }
    try body()
  }

  @Test
  func `a saved operation is listed only after its request is stored, and only in its container`()
    throws
  {
    try withFolder {
      #expect(operations().ids(now: now) == [])
      let saved = try #require(operations().make(id: "A"))
      #expect(operations().ids(now: now) == [])
      #expect(saved.keep(request: Data([1, 2, 3])))
      #expect(operations().ids(now: now) == ["A"])
      #expect(operations("iCloud.org.example.Other").ids(now: now) == [])
    }
  }

  @Test func `a saved operation can be owned by only one process at a time`() {
    withFolder {
      var saved = operations().make(id: "A")
      #expect(saved?.keep(request: Data([1])) == true)
      #expect(operations().open(id: "A", now: now) == nil)
      saved = nil
      var opened = operations().open(id: "A", now: now)
      #expect(opened?.request == Data([1]))
      #expect(operations().open(id: "A", now: now) == nil)
      opened = nil
      #expect(operations().open(id: "A", now: now) != nil)
      #expect(saved == nil && opened == nil)
    }
  }

  /// `cancel()` deletes an operation while its task may still write an answer.
  @Test func `a saved operation that is deleted during a write leaves no folder`() throws {
    try withFolder {
      for round in 0..<100 {
        let saved = try #require(operations().make(id: "A\(round)"))
        #expect(saved.keep(request: Data([1])))
        let begun = DispatchSemaphore(value: 0)
        let written = DispatchGroup()
        written.enter()
        DispatchQueue.global().async {
          begun.signal()
          for step in 0..<8 { saved.keep(answer: [7], to: "\(step)") }
          written.leave()
        }
        begun.wait()
        saved.forget()
        written.wait()
        let left = FileManager.default.subpaths(atPath: folder.path) ?? []
        #expect(left.filter { $0.contains("/A\(round)") } == [])
      }
    }
  }

  @Test func `a saved operation keeps the answers of its completed steps`() throws {
    try withFolder {
      do {
        let saved = try #require(operations().make(id: "A"))
        #expect(saved.keep(request: Data()))
        saved.begin("one")
        saved.begin("two")
        saved.begin("three")
        saved.keep(answer: [7], to: "one")
        saved.dropBegin(of: "three")
        saved.keep(userRecordName: "_ann")
      }
      #expect(operations().userRecordName(of: "A") == "_ann")
      let saved = try #require(operations().open(id: "A", now: now))
      #expect(saved.answer(to: "one") == [7])
      #expect(!saved.hasBegun("one"))
      #expect(saved.answer(to: "two") == nil)
      #expect(saved.hasBegun("two"))
      #expect(!saved.hasBegun("three"))
      #expect(saved.userRecordName == "_ann")
    }
  }

  @Test func `a damaged saved operation is not resumed`() throws {
    try withFolder {
      #expect(operations().make(id: "A")?.keep(request: Data([1, 2, 3])) == true)
      let file = folder.appendingPathComponent(
        "operations/iCloud.org.example.App.development/A/request")
      var bytes = try Data(contentsOf: file)
      bytes[bytes.count - 1] ^= 1
      try bytes.write(to: file)
      #expect(operations().open(id: "A", now: now) == nil)
    }
  }

  @Test
  func `saved operations are removed a day after their end, or a month after their last use`() {
    withFolder {
      for id in ["A", "B"] {
        let saved = operations().make(id: id)
        #expect(saved?.keep(request: Data()) == true)
        if id == "A" { saved?.finish() }
      }
      #expect(operations().ids(now: now + 86_300) == ["A", "B"])
      #expect(operations().open(id: "A", now: now + 86_500) == nil)
      #expect(operations().ids(now: now + 86_500) == ["B"])
      #expect(operations().ids(now: now) == ["B"])
      #expect(operations().ids(now: now + 31 * 86_400) == [])
    }
  }

  @Test(arguments: ["", "..", "../../x", "a/b", ".", String(repeating: "a", count: 65)])
  func `a saved operation is refused if its ID could name another folder`(id: String) {
    withFolder {
      #expect(operations().make(id: id) == nil)
      #expect(operations().open(id: id, now: now) == nil)
    }
  }

  @Test func `a removed saved operation leaves no file`() throws {
    try withFolder {
      let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("stratus-test-\(UUID().uuidString)")
      try Data("contents".utf8).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let saved = try #require(operations().make(id: "A"))
      let name = try #require(saved.keep(file: file, number: 0))
      #expect(try Data(contentsOf: saved.file(named: name)) == Data("contents".utf8))
      #expect(saved.keep(request: Data()))
      saved.forget()
      saved.keep(answer: [1], to: "one")
      #expect(operations().ids(now: now) == [])
      let home = folder.appendingPathComponent("operations/iCloud.org.example.App.development")
      #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == [])
    }
  }
}
