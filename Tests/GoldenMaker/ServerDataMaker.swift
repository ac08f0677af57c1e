import Foundation
import StratusFoundation
import StratusTesting
import StratusTransport
import StratusWire

@testable import StratusKit

/// Sends the requests of an operator, of users and of apps, which create the data of a server. Also
/// writes archives of values that the apps have.
struct ServerDataMaker {
  let scene: MakerScene
  let archive: MakerArchive

  init(_ scene: MakerScene) throws {
    self.scene = scene
    archive = try MakerArchive(scene.folder, "archives")
  }

  func make() async throws {
    try await operatorsPart()
    try scene.makeDevice()
    try await firstPart()
    try await otherPlaces()
    try await watching()
    try await remember("early")
    try await laterPart()
    try await remember("late")
    try await sharing()
    try await end()
  }

  private func operatorsPart() async throws {
    for container in [MakerScene.golden, MakerScene.second] {
      _ = try await scene.manage(CreateContainer.self, .init(containerID: container))
      for environment in ContainerEnvironment.allCases {
        let token = try await scene.manage(
          CreateAPIToken.self, .init(containerID: container, environment: environment))
        scene.note("apiToken.\(container).\(environment.rawValue)", token.token)
      }
    }
    for user in ["alice", "bob", "carol"] {
      _ = try await scene.manage(CreateAccount.self, .init(email: "\(user)@example.org"))
      for container in [MakerScene.golden, MakerScene.second] {
        for environment in ContainerEnvironment.allCases {
          let token = try await scene.manage(
            CreateWebToken.self,
            .init(
              email: "\(user)@example.org", containerID: container, environment: environment))
          scene.note(
            "webAuthToken.\(container).\(environment.rawValue).\(user)", token.token)
        }
      }
    }
    _ = try await scene.manage(
      ConfigureContainer.self,
      .init(
        containerID: MakerScene.golden, environment: .development, allowsQueryExtensions: true,
        requiresReferenceTargets: true))
    try CredentialsFile.write(
      ServerSettings(
        url: URL(string: "http://stratus.test"), container: MakerScene.golden,
        environment: .development,
        apiToken: scene.text("apiToken.\(MakerScene.golden).development"),
        webAuthToken: scene.text("webAuthToken.\(MakerScene.golden).development.alice")),
      to: scene.device.appendingPathComponent("credentials.json"))
    for user in ["alice", "bob", "carol"] {
      let id = try await scene.container(of: user, on: user).userRecordID()
      scene.note("userRecordName.\(user)", id.recordName)
    }
  }

  private func note(
    _ name: String, _ title: String, _ count: Int, folder: String? = nil,
    in zone: CKRecordZone.ID = GoldenValues.notes
  ) -> CKRecord {
    let record = CKRecord(recordType: "Note", recordID: GoldenValues.id(name, in: zone))
    record["title"] = title
    record["count"] = count
    record["folder"] = folder.map {
      CKRecord.Reference(recordID: GoldenValues.id($0, in: zone), action: .deleteSelf)
    }
    return record
  }

  func save(_ records: [CKRecord], to database: CKDatabase) async throws {
    let (saved, _) = try await database.modifyRecords(saving: records, deleting: [])
    for (id, result) in saved {
      if case .failure(let error) = result {
        throw MakerFailure("\(id.recordName) cannot be saved: \(error)")
      }
      let name = "changeTag.\(id.zoneID.zoneName).\(id.recordName)"
      scene.note(name, try result.get().recordChangeTag)
    }
    scene.pass()
  }

  private func firstPart() async throws {
    let database = scene.container(of: "alice").privateCloudDatabase
    let places = CKRecordZone(zoneName: "Places")
    places.encryptionScope = .perZone
    for zone in ["Notes", "Gone", "Again", "Empty"].map(CKRecordZone.init(zoneName:)) + [places] {
      _ = try await database.save(zone)
    }
    let folder = CKRecord(recordType: "Folder", recordID: GoldenValues.id("folder-1"))
    folder["title"] = "Folder"
    let cascaded = CKRecord(recordType: "Folder", recordID: GoldenValues.id("folder-2"))
    cascaded["title"] = "Doomed"
    try await save([folder, cascaded], to: database)
    let all = CKRecord(recordType: "All", recordID: GoldenValues.id("all-1"))
    GoldenValues.fill(all)
    all["photo"] = CKAsset(fileURL: try scene.file("photo.bin", "photo bytes"))
    all["photos"] = [
      CKAsset(fileURL: try scene.file("one.bin", "one")),
      CKAsset(fileURL: try scene.file("two.bin", "photo bytes")),
    ]
    all.setParent(GoldenValues.id("folder-1"))
    let secret = CKRecord(recordType: "Secret", recordID: GoldenValues.id("secret-1"))
    secret["title"] = "Open"
    GoldenValues.fillSecrets(secret)
    try await save(
      [all, secret] + (1...6).map { note("note-\($0)", "Note \($0)", $0) }
        + (1...3).map { note("doomed-\($0)", "Doomed \($0)", $0, folder: "folder-2") }
        + [note("child-1", "Child", 1, folder: "folder-1")], to: database)
    for zone in ["Places", "Gone", "Again"].map({ CKRecordZone.ID(zoneName: $0) }) {
      try await save([note("in-\(zone.zoneName)", zone.zoneName, 1, in: zone)], to: database)
    }
    let scoped = note(
      "scoped-secret", "Scoped", 1, in: CKRecordZone.ID(zoneName: "Places"))
    scoped.encryptedValues["secretText"] = "im Ort"
    try await save([scoped], to: database)
    try await save([note("loose-1", "Loose", 1, in: .default)], to: database)
  }

  private func otherPlaces() async throws {
    let alice = scene.container(of: "alice")
    let shared = CKRecord(recordType: "Post", recordID: CKRecord.ID(recordName: "post-1"))
    shared["title"] = "Public"
    shared["photo"] = CKAsset(fileURL: try scene.file("public.bin", "photo bytes"))
    try await save([shared], to: alice.publicCloudDatabase)
    let bob = scene.container(of: "bob", on: "bob")
    let post = CKRecord(recordType: "Post", recordID: CKRecord.ID(recordName: "post-2"))
    post["title"] = "Bob's"
    try await save([post], to: bob.publicCloudDatabase)
    _ = try await bob.privateCloudDatabase.save(CKRecordZone(zoneName: "Notes"))
    _ = try await bob.privateCloudDatabase.modifyRecords(
      saving: [note("bobs-1", "Bob's", 1)], deleting: [])
    _ = try await scene.manage(DeploySchema.self, .init(containerID: MakerScene.golden))
    let production = scene.container(of: "alice", in: .production, on: "production")
      .privateCloudDatabase
    _ = try await production.save(CKRecordZone(zoneName: "Notes"))
    _ = try await production.modifyRecords(
      saving: [note("deployed-1", "Deployed", 1)], deleting: [])
    let second = scene.container(MakerScene.second, of: "alice", on: "second")
    _ = try await second.privateCloudDatabase.save(
      CKRecord(recordType: "Other", recordID: CKRecord.ID(recordName: "other-1")))
    scene.pass()
  }

  private func watching() async throws {
    let alice = scene.container(of: "alice")
    let query = CKQuerySubscription(
      recordType: "Note", predicate: NSPredicate(format: "count > 100"),
      subscriptionID: "big-notes", options: [.firesOnRecordCreation, .firesOnRecordUpdate])
    query.notificationInfo = CKSubscription.NotificationInfo(
      alertBody: "Big", desiredKeys: ["title"], shouldBadge: true)
    let database = CKDatabaseSubscription(subscriptionID: "all-changes")
    database.notificationInfo = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
    let zone = CKRecordZoneSubscription(
      zoneID: CKRecordZone.ID(zoneName: "Places"), subscriptionID: "places")
    zone.notificationInfo = CKSubscription.NotificationInfo(alertBody: "Places")
    _ = try await alice.privateCloudDatabase.modifySubscriptions(
      saving: [query, database, zone], deleting: [])
    _ = try await scene.container(of: "bob", on: "bob").publicCloudDatabase.save(
      CKQuerySubscription(
        recordType: "Post", predicate: NSPredicate(value: true), subscriptionID: "posts",
        options: .firesOnRecordCreation))
    let laptop = scene.container(of: "alice", on: "laptop").privateCloudDatabase
    try await save([note("big-1", "Big", 101)], to: laptop)
    try await scene.server.matchChanges()
  }

  private func laterPart() async throws {
    let laptop = scene.container(of: "alice", on: "laptop").privateCloudDatabase
    let changed = try await laptop.record(for: GoldenValues.id("note-2"))
    changed["title"] = "Note 2, changed"
    try await save([changed, note("note-7", "Note 7", 7)], to: laptop)
    _ = try await laptop.modifyRecords(
      saving: [], deleting: [GoldenValues.id("note-3"), GoldenValues.id("folder-2")])
    try await scene.server.continueCascades()
    scene.pass()
    _ = try await laptop.deleteRecordZone(withID: CKRecordZone.ID(zoneName: "Gone"))
    let again = CKRecordZone.ID(zoneName: "Again")
    _ = try await laptop.deleteRecordZone(withID: again)
    _ = try await laptop.save(CKRecordZone(zoneID: again))
    try await save([note("again-2", "Again", 2, in: again)], to: laptop)
    _ = try await laptop.save(CKRecordZone(zoneName: "Late"))
    try await scene.server.matchChanges()
    scene.pass()
  }

  /// Saves a record, and does not match this last change with subscriptions. Disables an account.
  private func end() async throws {
    let laptop = scene.container(of: "alice", on: "laptop").privateCloudDatabase
    try await save([note("big-2", "Unmatched", 102)], to: laptop)
    _ = try await scene.manage(DisableAccount.self, .init(email: "carol@example.org"))
  }
}
