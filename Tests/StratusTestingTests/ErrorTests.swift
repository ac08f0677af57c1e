import CloudKit
import StratusTesting
import Synchronization
import Testing

/// One way to produce each error. If the server can return the error by itself, the test creates
/// the situation for it. Otherwise, the test tells the test server to return the error.
@Suite struct `The 37 errors` {
  struct Way: Sendable, CustomTestStringConvertible {
    let code: CKError.Code
    let go: @Sendable (Stage) async throws -> Void

    init(_ code: CKError.Code, _ go: @escaping @Sendable (Stage) async throws -> Void) {
      self.code = code
      self.go = go
    }

    /// Makes the next request fail with the given code.
    init(asked code: CKError.Code, for requests: TestRequests = .modifyRecords) {
      self.init(code) { stage in
        stage.phone.fail(next: requests, with: code)
        try await stage.save()
      }
    }

    var testDescription: String { "\(code)" }
  }

  static let ways: [Way] = [
    Way(asked: .internalError),
    Way(.partialFailure) { try await $0.modifyInOldWay(failing: "second") },
    Way(.networkUnavailable) {
      $0.phone.isOnline = false; try await $0.fetch()
    },
    Way(.networkFailure) { stage in
      stage.phone.disturb(next: .fetchRecords, by: .losesRequest)
      try await stage.fetch()
    },
    Way(.badContainer) { stage in
      _ = try await stage.phone.container("no container").userRecordID()
    },
    Way(.serviceUnavailable) {
      $0.server.isAvailable = false; try await $0.fetch()
    },
    Way(asked: .requestRateLimited),
    Way(asked: .missingEntitlement),
    Way(.notAuthenticated) {
      $0.phone.signOut(); try await $0.fetch()
    },
    Way(.permissionFailure) { try await $0.changeRecordOfBob() },
    Way(.unknownItem) { try await $0.fetch("nowhere") },
    Way(.invalidArguments) { stage in
      _ = try await stage.database.recordZoneChanges(inZoneWith: .default, since: nil)
    },
    Way(asked: .resultsTruncated),
    Way(.serverRecordChanged) { try await $0.save("first") },
    Way(asked: .serverRejectedRequest),
    Way(.assetFileNotFound) { try await $0.saveFile(at: URL(fileURLWithPath: "/no/file")) },
    Way(asked: .assetFileModified),
    Way(asked: .incompatibleVersion),
    Way(asked: .constraintViolation),
    Way(.operationCancelled) { try await $0.saveAndCancel() },
    Way(.changeTokenExpired) { try await $0.followExpiredToken() },
    Way(.batchRequestFailed) { stage in
      stage.phone.fail(next: .modifyRecords.of("second"), with: .serverRejectedRequest)
      let (saves, _) = try await stage.database.modifyRecords(
        saving: [Stage.note("second"), Stage.note("third")], deleting: [])
      _ = try saves[Stage.recordID("third")]?.get()
    },
    Way(asked: .zoneBusy),
    Way(.badDatabase) { try await $0.publicDatabase.save(CKRecordZone(zoneName: "Zone")) },
    Way(.quotaExceeded) {
      $0.alice.isStorageFull = true; try await $0.save()
    },
    Way(.zoneNotFound) { stage in
      let zoneID = CKRecordZone.ID(zoneName: "Nowhere")
      try await stage.database.save(
        CKRecord(
          recordType: "Note", recordID: CKRecord.ID(recordName: "note", zoneID: zoneID)))
    },
    Way(.limitExceeded) { stage in
      let text = String(repeating: "x", count: 1_100_000)
      try await stage.database.save(Stage.note("long", text))
    },
    Way(.userDeletedZone) { stage in
      try await stage.alice.purgeZone("Notes", in: Stage.containerID)
      try await stage.save()
    },
    Way(asked: .tooManyParticipants),
    Way(asked: .alreadyShared),
    Way(.referenceViolation) { stage in
      let child = Stage.note("child")
      child.setParent(Stage.recordID("nowhere"))
      try await stage.database.save(child)
    },
    Way(.managedAccountRestricted) {
      $0.alice.isRestricted = true; try await $0.fetch()
    },
    Way(asked: .participantMayNeedVerification),
    Way(.serverResponseLost) { stage in
      stage.phone.disturb(next: .modifyRecords, by: .losesResponse)
      try await stage.save()
    },
    Way(.assetNotAvailable) { try await $0.fetchLostFile() },
    Way(.accountTemporarilyUnavailable) { stage in
      stage.alice.isTemporarilyUnavailable = true
      try await stage.fetch()
    },
    Way(asked: .participantAlreadyInvited),
  ]

  @Test func `the tests can produce every CKError code`() {
    #expect(Self.ways.map(\.code) == CKError.Code.allCases)
    #expect(Self.ways.map(\.code.rawValue) == Array(1...37))
  }

  @Test(arguments: ways) func `a call can throw each CKError code`(_ way: Way) async throws {
    try await withStage { stage in
      await expect(way.code) { try await way.go(stage) }
    }
  }

  @Test(arguments: CKError.Code.allCases)
  func `a test can request each CKError code for the next request of one kind`(
    _ code: CKError.Code
  ) async throws {
    try await withStage { stage in
      stage.phone.fail(next: .fetchRecords, with: code, retryAfterSeconds: 7)
      try await stage.save()
      let error = await failure { try await stage.fetch() }
      #expect(error?.code == code)
      #expect(error?.retryAfterSeconds == 7)
      #expect(stage.phone.pendingFaultsCount == 0)
      try await stage.fetch()
    }
  }
}

extension Stage {
  /// Sends a request with the deprecated blocks, which do not report each record.
  fileprivate func modifyInOldWay(failing name: String) async throws {
    phone.fail(next: .modifyRecords.of(name), with: .serverRejectedRequest)
    let operation = CKModifyRecordsOperation(
      recordsToSave: [Self.note(name)], recordIDsToDelete: nil)
    let error = await withCheckedContinuation { continuation in
      operation.modifyRecordsCompletionBlock = { continuation.resume(returning: $2) }
      database.add(operation)
    }
    if let error { throw error }
  }

  fileprivate func changeRecordOfBob() async throws {
    let bob = try await server.account("bob@example.com").device("bob's phone")
    let theirs = bob.container(Self.containerID).publicCloudDatabase
    let record = try await theirs.save(CKRecord(recordType: "Post"))
    let mine = try await publicDatabase.record(for: record.recordID)
    mine["text"] = "mine"
    try await publicDatabase.save(mine)
  }

  fileprivate func saveFile(at url: URL) async throws {
    let record = Self.note("file")
    record["file"] = CKAsset(fileURL: url)
    try await database.save(record)
  }

  fileprivate func saveAndCancel() async throws {
    phone.disturb(next: .modifyRecords, by: .isLate(by: .seconds(30)))
    let saving = Task { try await save() }
    try await server.wait(upTo: .zero) { phone.requestsCount(.modifyRecords) > 1 }
    saving.cancel()
    try await saving.value
  }

  fileprivate func followExpiredToken() async throws {
    let changes = try await database.recordZoneChanges(inZoneWith: Self.zoneID, since: nil)
    try server.expireChangeTokens()
    _ = try await database.recordZoneChanges(
      inZoneWith: Self.zoneID, since: changes.changeToken)
  }

  fileprivate func fetchLostFile() async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "stratus-testing-\(ProcessInfo.processInfo.processIdentifier)")
    try Data("contents".utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try await saveFile(at: url)
    try await server.loseAssets()
    _ = try await laptopDatabase.record(for: Self.recordID("file"))
  }
}
