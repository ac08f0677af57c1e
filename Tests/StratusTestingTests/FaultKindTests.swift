import CloudKit
import Foundation
import StratusTesting
import Testing

/// Each kind of request, with a call that sends a request of this kind.
@Suite struct `A requested error` {
  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let requests: TestRequests
    let call: @Sendable (Stage) async throws -> Void

    init(
      _ name: String, _ requests: TestRequests,
      _ call: @escaping @Sendable (Stage) async throws -> Void
    ) {
      testDescription = name
      self.requests = requests
      self.call = call
    }
  }

  static let kinds = [
    Kind("any", .any) { try await $0.fetch() },
    Kind("modifyRecords", .modifyRecords) { try await $0.save() },
    Kind("fetchRecords", .fetchRecords) { try await $0.fetch() },
    Kind("queries", .queries) { stage in
      let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
      _ = try await stage.database.records(matching: query, inZoneWith: Stage.zoneID)
    },
    Kind("recordZoneChanges", .recordZoneChanges) { stage in
      _ = try await stage.database.recordZoneChanges(inZoneWith: Stage.zoneID, since: nil)
    },
    Kind("databaseChanges", .databaseChanges) { stage in
      _ = try await stage.database.databaseChanges(since: nil)
    },
    Kind("modifyZones", .modifyZones) { stage in
      try await stage.database.save(CKRecordZone(zoneName: "Other"))
    },
    Kind("fetchZones", .fetchZones) { stage in
      _ = try await stage.database.recordZone(for: Stage.zoneID)
    },
    Kind("modifySubscriptions", .modifySubscriptions) { stage in
      try await stage.database.save(CKDatabaseSubscription(subscriptionID: "all"))
    },
    Kind("fetchSubscriptions", .fetchSubscriptions) { stage in
      _ = try await stage.database.allSubscriptions()
    },
    Kind("fetchShares", .fetchShares) { stage in
      let share = try await stage.share()
      _ = try await stage.phone.container(Stage.containerID)
        .shareMetadata(for: try #require(share.url))
    },
    Kind("acceptShares", .acceptShares) { try await $0.phone.accept(try await $0.share()) },
    Kind("requestShareAccess", .requestShareAccess) { stage in
      let share = try await stage.share()
      let operation = CKShareRequestAccessOperation(shareURLs: [try #require(share.url)])
      let container = stage.phone.container(Stage.containerID)
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        operation.shareAccessRequestResultBlock = { continuation.resume(with: $0) }
        container.add(operation)
      }
    },
    Kind("account", .account) { stage in
      _ = try await stage.phone.container(Stage.containerID).userRecordID()
    },
    Kind("assetUploads", .assetUploads) { try await saveFile(in: $0.database) },
    Kind("assetDownloads", .assetDownloads) { stage in
      try await saveFile(in: stage.laptopDatabase)
      try await stage.fetch("file")
    },
  ]

  private static func saveFile(in database: CKDatabase) async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "stratus-test-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("contents".utf8).write(to: file)
    let record = Stage.note("file")
    record["file"] = CKAsset(fileURL: file)
    try await database.save(record)
  }

  @Test(arguments: kinds, CKError.Code.allCases)
  func `the call whose request fails throws the requested error`(
    _ kind: Kind, _ code: CKError.Code
  ) async throws {
    try await withStage { stage in
      stage.phone.fail(next: kind.requests, with: code, retryAfterSeconds: 7)
      let error = await failure { try await kind.call(stage) }
      #expect(error?.code == code, "\(String(describing: error))")
      #expect(error?.retryAfterSeconds == 7)
      #expect(stage.phone.pendingFaultsCount == 0)
    }
  }

  /// After an error, the framework opens the stream again.
  @Test func `a requested error of the notification stream does not reach the app`() async throws {
    try await withStage { stage in
      stage.laptop.fail(next: .notifications, with: .internalError, times: 3)
      try await stage.laptopDatabase.save(CKDatabaseSubscription(subscriptionID: "all"))
      let container = stage.laptop.container(Stage.containerID)
      let listening = Task { () -> CKSubscription.ID? in
        for await notification in container.remoteNotifications {
          return notification.subscriptionID
        }
        return nil
      }
      try await stage.server.wait { stage.laptop.requestsCount(.notifications) > 3 }
      #expect(stage.laptop.pendingFaultsCount == 0)
      try await stage.save()
      #expect(await listening.value == "all")
    }
  }
}
