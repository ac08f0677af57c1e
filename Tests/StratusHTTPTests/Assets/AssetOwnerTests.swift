import Foundation
import S3Server
import StratusDomain
import StratusTesting
import StratusWire
import Testing

@testable import StratusServer

/// Two installations that use the same bucket by mistake, for example after a trial restore.
@Suite struct `The owner of a bucket` {
  private static let address = StoreAddress(
    container: "iCloud.org.example", environment: .development)
  private static let file = "p/iCloud.org.example/development.assets/files/00000001"

  /// The bucket, the clock and the log of a test, and a folder for data folders and backups.
  private struct Scene: Sendable {
    let bucket: S3Server
    let clock: MovedClock
    let log: CapturedLog
    let folder: URL

    func access() throws -> S3Access {
      try S3Access(
        url: "s3://assets/p?endpoint=\(bucket.url)",
        environment: [
          "AWS_ACCESS_KEY_ID": "TESTKEY",
          "AWS_SECRET_ACCESS_KEY": "test/secret+of=the/test",
        ])
    }

    func start(_ name: String) async throws -> Composition {
      try await Composition(
        dataFolder: folder.appendingPathComponent(name), s3: try access(), live: clock.live,
        logger: log.logger)
    }

    /// Returns the reason why a server does not start, or nil if it starts.
    func refusal(_ name: String) async -> String? {
      do {
        let server = try await start(name)
        await server.close()
        return nil
      } catch {
        return "\(error)"
      }
    }

    func claim(_ name: String, replaces: Bool) async throws -> AssetsClaim {
      try await AssetsClaim.run(
        dataFolder: folder.appendingPathComponent(name), postgres: nil, s3: try access(),
        replaces: replaces, live: clock.live)
    }

    /// Restores a backup of one data folder into another one.
    func restore(_ name: String, to other: String) throws {
      let backup = folder.appendingPathComponent("backup-" + other)
      _ = try Backup.make(of: folder.appendingPathComponent(name), at: backup, live: clock.live)
      _ = try Backup.restore(
        backup, to: folder.appendingPathComponent(other), live: clock.live)
    }
  }

  private func withScene(_ body: @escaping @Sendable (Scene) async throws -> Void) async throws {
    let clock = MovedClock()
    try await S3Server.running(S3Server.Settings(now: { clock.now })) { bucket in
      try await KeyFolder.with { url in
        try await body(Scene(bucket: bucket, clock: clock, log: CapturedLog(), folder: url))
      }
    }
  }

  /// Stores ``file`` in the bucket. No register of a server has a row of it.
  private static func storeFile(by server: Composition) async throws {
    let upload = try await server.assets.open(upload: "upload-1", at: address, fromNothing: true)
    try await upload.append([1, 2, 3])
    _ = try await upload.finish(as: "00000001")
  }

  @Test func `a server refuses a bucket with the files of another installation`() async throws {
    try await withScene { scene in
      for _ in 0..<2 {
        let refusal = await scene.refusal("first")
        #expect(refusal == nil)
      }
      #expect(scene.bucket.keys == ["p/stratus-owner"])
      let refusal = try #require(await scene.refusal("second"))
      #expect(refusal.contains("the files belong to another installation"))
      #expect(refusal.contains("stratus assets claim --yes"))
      // The refused folder can still be used with another bucket.
      let place = scene.folder.appendingPathComponent("second/assets-place").path
      #expect(!FileManager.default.fileExists(atPath: place))
      let id = String(decoding: scene.bucket.bytes("p/stratus-owner") ?? [], as: UTF8.self)
      #expect(refusal.contains("owner " + id.trimmingCharacters(in: .newlines)))
    }
  }

  /// The restored server does not know the file, because the file is newer than the backup.
  @Test
  func `a trial restore is refused, and the file of the running server stays`() async throws {
    try await withScene { scene in
      let first = try await scene.start("first")
      _ = try await first.store(at: Self.address)
      try scene.restore("first", to: "trial")
      try await Self.storeFile(by: first)
      let refusal = await scene.refusal("trial")
      #expect(refusal?.contains("the files belong to another installation") == true)
      #expect(scene.bucket.keys.contains(Self.file))
      await first.close()
    }
  }

  @Test func `after a claim, only the new owner removes files`() async throws {
    try await withScene { scene in
      let first = try await scene.start("first")
      _ = try await first.store(at: Self.address)
      try scene.restore("first", to: "next")
      try await Self.storeFile(by: first)

      await #expect(throws: AssetsUnusable.self) {
        try await scene.claim("next", replaces: false)
      }
      let claim = try await scene.claim("next", replaces: true)
      #expect(claim.earlierID != nil && claim.earlierID != claim.installationID)
      let again = try await scene.claim("next", replaces: false)
      #expect(again.earlierID == claim.installationID)

      // No register has a row of the file, so each sweep would remove it.
      scene.clock.move(bySeconds: 10)
      await first.sweepAssets(graceSeconds: 0)
      #expect(scene.bucket.keys.contains(Self.file))
      #expect(scene.log.text.contains("cannot be swept"))
      #expect(scene.log.text.contains("the files belong to another installation"))
      await first.close()
      let refusal = await scene.refusal("first")
      #expect(refusal != nil)

      let next = try await scene.start("next")
      _ = try await next.store(at: Self.address)
      await next.sweepAssets(graceSeconds: 0)
      #expect(scene.bucket.keys == ["p/stratus-owner"])
      await next.close()
    }
  }

  /// In such a folder, only the registry beside the files knows them.
  @Test func `a server does not use the files in the folder of another kind of server`()
    async throws
  {
    try await KeyFolder.with { url in
      let log = CapturedLog()
      let alone = url.appendingPathComponent("alone")
      let shared = url.appendingPathComponent("nodes")
      let storage = try ServerStorage(folder: alone, live: Live())
      await storage.close()
      let failure = await #expect(throws: AssetsUnusable.self) {
        try await ServerStorage.opened(
          dataFolder: url.appendingPathComponent("node"),
          postgres: PostgresAccess(url: "postgres://127.0.0.1:1/none", sharedFolder: alone),
          s3: nil, live: Live(), logger: log.logger)
      }
      #expect(failure?.description.contains("with --shared") == true)

      try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
      try Data("one\n".utf8).write(to: shared.appendingPathComponent("assets-owner"))
      let refusal = #expect(throws: AssetsUnusable.self) {
        try ServerStorage(folder: shared, live: Live())
      }
      #expect(refusal?.description.contains("start the server with --postgres") == true)
    }
  }

  @Test func `the files in a data folder without a bucket cannot be claimed`() async throws {
    try await KeyFolder.with { url in
      let storage = try ServerStorage(folder: url, live: Live())
      await storage.close()
      let failure = await #expect(throws: AssetsUnusable.self) {
        try await AssetsClaim.run(dataFolder: url, postgres: nil, s3: nil, replaces: true)
      }
      #expect(failure?.description.contains("--assets") == true)
    }
  }

  /// Otherwise a mistake in `--data` would make an empty installation the owner.
  @Test func `a folder without the data of a server cannot claim a bucket`() async throws {
    try await withScene { scene in
      let first = try await scene.start("first")
      await first.close()
      let owner = scene.bucket.bytes("p/stratus-owner")
      let failure = await #expect(throws: AssetsUnusable.self) {
        try await scene.claim("mistake", replaces: true)
      }
      #expect(failure?.description.contains("--data") == true)
      #expect(scene.bucket.bytes("p/stratus-owner") == owner)
    }
  }

  @Test func `the doctor reports a bucket with the files of another installation`() async throws {
    try await withScene { scene in
      let server = try await scene.start("first")
      await server.close()
      let access = try scene.access()
      let cases: [(name: String, expected: [String])] = [("first", []), ("second", ["s3-owner"])]
      for (name, expected) in cases {
        let folder = scene.folder.appendingPathComponent(name)
        let storage = try ServerStorage(folder: folder, live: scene.clock.live)
        let id = try await storage.registry.installationID(orKeep: "another one")
        await storage.close()
        let found = Doctor(data: folder).installationID
        #expect(found == id)
        let findings = await access.findings(installationID: found, live: scene.clock.live)
        #expect(findings.map(\.name) == expected)
      }
    }
  }
}
