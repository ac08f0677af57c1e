import Foundation
import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusTesting
import Testing

/// The sweep removes files that no record uses, and keeps all others.
@Suite struct AssetSweeps {
  private static let day: Int64 = 86_400

  private func withClock(
    _ body: (TestServer, Client, MovedClock) async throws -> Void
  ) async throws {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      try await body(server, try await server.client("anna@example.org"), clock)
    }
  }

  @Test
  func `the sweep removes an uploaded file after a day if no record uses the file`() async throws {
    try await withClock { server, anna, clock in
      let file = try await anna.upload(abc)
      clock.move(bySeconds: Self.day)
      await server.sweepAssets(graceSeconds: Self.day)
      #expect(try server.files().count == 1)
      clock.move(bySeconds: 1)
      await server.sweepAssets(graceSeconds: Self.day)
      #expect(try server.files().isEmpty)
      #expect(try server.unfinished().isEmpty)
      let saved = try await anna.save("n", fields: ["photo": ["value": file]])
      #expect(saved["serverErrorCode"] == "BAD_REQUEST")
    }
  }

  @Test func `a file that a record uses is never removed`() async throws {
    try await withClock { server, anna, clock in
      try await anna.saveNote("a", photo: try await anna.upload(abc))
      try await anna.saveNote("b", photo: try await anna.upload(abc))
      _ = try await anna.upload(Array("unheld".utf8))
      clock.move(bySeconds: 10 * Self.day)
      await server.sweepAssets(graceSeconds: 0)
      #expect(try server.files().count == 1)
      _ = try await anna.modify([
        ["operationType": "forceDelete", "record": ["recordName": "a"]]
      ])
      await server.sweepAssets(graceSeconds: 0)
      #expect(try await anna.transfer(.get, try await anna.downloadURL(of: "b")).bytes == abc)
    }
  }

  @Test(arguments: ["delete", "replace", "clear", "other", "zone"])
  func `a file is removed a day after the last record stops using it`(how: String) async throws {
    try await withClock { server, anna, clock in
      try await anna.makeZone("Z")
      try await anna.saveNote(photo: try await anna.upload(abc), in: "Z")
      clock.move(bySeconds: 10 * Self.day)
      let other = try await anna.upload(Array("other".utf8))
      switch how {
      case "delete":
        let operation: JSON = [
          "operationType": "forceDelete", "record": ["recordName": "n"],
        ]
        _ = try await anna.modify([operation], in: "Z")
      case "replace":
        try await anna.save("n", in: "Z", fields: ["title": ["value": "x"]], "forceReplace")
      case "clear": try await anna.save("n", in: "Z", fields: ["photo": [:]])
      case "zone":
        try await anna.deleteZone("Z")
        try await server.purgeZones()
      case _: try await anna.saveNote(photo: other, in: "Z")
      }
      if how != "zone" {
        await server.sweepAssets(graceSeconds: Self.day)
        #expect(
          try server.files().count == 2,
          "the grace period begins when the record no longer uses the file")
      }
      clock.move(bySeconds: Self.day + 1)
      await server.sweepAssets(graceSeconds: Self.day)
      #expect(try server.files().count == (how == "other" ? 1 : 0))
    }
  }

  @Test func `a second upload of the same bytes postpones the removal of the file`() async throws {
    try await withClock { server, anna, clock in
      _ = try await anna.upload(abc)
      clock.move(bySeconds: Self.day - 10)
      let file = try await anna.upload(abc)
      clock.move(bySeconds: 100)
      await server.sweepAssets(graceSeconds: Self.day)
      try await anna.saveNote(photo: file)
      #expect(try await anna.transfer(.get, try await anna.downloadURL()).bytes == abc)
    }
  }

  @Test func `the sweep removes an unregistered file and keeps a registered file`() async throws {
    try await withClock { server, anna, clock in
      try await anna.saveNote(photo: try await anna.upload(abc))
      // The copy is like the file that remains after a crash between the last byte and the
      // registration of the file.
      let kept = try #require(try server.files().first)
      let orphan = try server.copyFile(kept, finished: clock.now)
      await server.sweepAssets(graceSeconds: Self.day)
      #expect(try server.files().contains(orphan), "the server may be about to register the file")
      clock.move(bySeconds: Self.day + 1)
      await server.sweepAssets(graceSeconds: Self.day)
      #expect(try server.files() == [kept])
    }
  }

  @Test func `the sweep removes an abandoned upload`() async throws {
    try await withClock { server, anna, clock in
      let url = try await anna.uploadURL()
      _ = try await anna.transfer(
        .put, url, headers: ["Content-Range": "bytes 0-1/3"], [97, 98])
      #expect(try server.unfinished().count == 1)
      clock.move(bySeconds: Self.day + 1)
      await server.sweepAssets(graceSeconds: Self.day)
      #expect(try server.unfinished().isEmpty)
    }
  }

  @Test func `the sweep removes an upload whose completion failed`() async throws {
    try await withClock { server, anna, clock in
      let inTheWay = try server.assetsFolder(of: anna) + "/files"
      try Data().write(to: URL(fileURLWithPath: inTheWay))
      #expect(try await anna.transfer(.put, try await anna.uploadURL(), abc).status == 500)
      try FileManager.default.removeItem(atPath: inTheWay)
      #expect(try server.unfinished().count == 1)
      clock.move(bySeconds: Self.day + 1)
      await server.sweepAssets(graceSeconds: Self.day)
      #expect(try server.unfinished().isEmpty)
    }
  }

  @Test
  func `an error in the sweep of one store does not stop the sweep of other stores`() async throws {
    try await withClock { server, anna, clock in
      var (one, other) = (anna, anna)
      (one.container, other.container) = ("iCloud.org.example.one", "iCloud.org.example.other")
      for (broken, whole) in [(one, other), (other, one)] {
        _ = try await broken.upload(Array("broken".utf8))
        _ = try await whole.upload(abc)
        let uploads = try server.assetsFolder(of: broken) + "/uploads"
        try FileManager.default.removeItem(atPath: uploads)
        try Data().write(to: URL(fileURLWithPath: uploads))
        clock.move(bySeconds: Self.day + 1)
        await server.sweepAssets(graceSeconds: Self.day)
        let files = try server.assetsFolder(of: whole) + "/files"
        let left = try FileManager.default.subpathsOfDirectory(atPath: files)
        #expect(left.allSatisfy { $0.utf8.count <= "AB/CD".utf8.count }, "\(left)")
        try FileManager.default.removeItem(atPath: uploads)
      }
    }
  }

  @Test func `the sweep removes many files in several steps`() async throws {
    try await withClock { server, anna, clock in
      for index in 0..<450 {
        _ = try await anna.upload([UInt8(index & 255), UInt8(index >> 8)])
      }
      try await anna.saveNote(photo: try await anna.upload(abc))
      clock.move(bySeconds: 1)
      await server.sweepAssets(graceSeconds: 0)
      #expect(try server.files().count == 1)
    }
  }
}

extension TestServer {
  /// Copies a file to a name that the asset register does not contain.
  func copyFile(_ name: String, finished: Int64) throws -> String {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    let path = try #require(paths.first { $0.hasSuffix("/" + name) })
    let copy = name.dropLast(4) + "0000"
    let target = folder.path + "/" + path.replacing(name, with: copy)
    try FileManager.default.copyItem(atPath: folder.path + "/" + path, toPath: target)
    let date = Date(timeIntervalSince1970: Double(finished) / 1_000)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: target)
    return String(copy)
  }

  /// Returns the folder with the files of the client's container, and creates it if it is missing.
  func assetsFolder(of client: Client) throws -> String {
    let path = folder.path + "/\(client.container)/development.assets"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  /// Truncates all complete files to zero bytes. The server does not notice.
  func emptyFiles() throws {
    let names = try files()
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where names.contains((path as NSString).lastPathComponent) {
      try Data().write(to: URL(fileURLWithPath: folder.path + "/" + path))
    }
  }

  /// Removes all complete files from the disk. The server does not notice.
  func loseFiles() throws {
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where path.hasSuffix(".assets/files") {
      try FileManager.default.removeItem(atPath: folder.path + "/" + path)
    }
  }
}
