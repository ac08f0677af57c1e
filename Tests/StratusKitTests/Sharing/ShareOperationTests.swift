import Foundation
import StratusTransport
import StratusWire
import Synchronization
import Testing

@testable import StratusKit

@Suite struct `Fetching the metadata of shares` {
  private let url: URL

  init() throws {
    url = try #require(URL(string: "https://cloud.example.org/share/\(WireShares.shortGUID)#List"))
  }

  @Test
  func `a metadata fetch sends the last part of the share's URL to the public database`()
    async throws
  {
    let server = FakeServer()
    server.on(ResolveShares.self) { request in
      ResolveShares.Response(results: request.shortGUIDs.map { .share(WireShares.resolved($0)) })
    }
    let metadata = try await server.container().shareMetadata(for: url)
    #expect(server.calls.map(\.path) == ["public/records/resolve"])
    #expect(
      String(decoding: server.calls[0].body, as: UTF8.self) == """
        {"shortGUIDs":[{"value":"\(WireShares.shortGUID)","shouldFetchRootRecord":false}]}
        """)
    #expect(metadata.containerIdentifier == "iCloud.org.example.App")
    #expect(metadata.share.recordID.zoneID.ownerName == "_owner")
    #expect(
      metadata.hierarchicalRootRecordID
        == id("root", in: CKRecordZone.ID(zoneName: "Z", ownerName: "_owner")))
    #expect(metadata.rootRecord == nil)
    #expect(metadata.participantRole == .privateUser)
    #expect(metadata.participantType == .privateUser)
    #expect(metadata.participantStatus == .pending)
    #expect(metadata.participantPermission == .readWrite)
    #expect(metadata.ownerIdentity.userRecordID?.recordName == "_owner")
  }

  @Test
  func `a metadata fetch returns the root's desired fields if the app requests the root`()
    async throws
  {
    let server = FakeServer()
    server.on(ResolveShares.self) { request in
      let root = stored("root", fields: FieldsJSON([("title", .string("x"))]))
      return ResolveShares.Response(
        results: request.shortGUIDs.map { .share(WireShares.resolved($0, root: root)) })
    }
    let operation = CKFetchShareMetadataOperation(shareURLs: [url])
    operation.shouldFetchRootRecord = true
    operation.rootRecordDesiredKeys = ["title"]
    let roots = Mutex<[String?]>([])
    operation.perShareMetadataResultBlock = { _, result in
      let title = (try? result.get())?.rootRecord?["title"] as? String
      roots.withLock { $0.append(title) }
    }
    await server.container().run(operation)
    #expect(roots.withLock { $0 } == ["x"])
    let request = try server.calls[0].request(ResolveShares.Request.self)
    #expect(
      request.shortGUIDs == [
        ShortGUID(
          value: WireShares.shortGUID, shouldFetchRootRecord: true,
          rootRecordDesiredKeys: ["title"])
      ])
  }

  @Test func `the metadata of a zone-wide share has no hierarchical root`() async throws {
    let server = FakeServer()
    server.on(ResolveShares.self) { request in
      ResolveShares.Response(
        results: request.shortGUIDs.map { .share(WireShares.resolved($0, isZoneWide: true)) })
    }
    let metadata = try await server.container().shareMetadata(for: url)
    #expect(metadata.hierarchicalRootRecordID == nil)
    #expect(metadata.rootRecordID == metadata.share.recordID)
  }

  @Test(arguments: [
    (ErrorCode.notFound, Reason.shareNotFound, CKError.Code.unknownItem),
    (.notFound, Reason.participantMayNeedVerification, .participantMayNeedVerification),
  ])
  func `a metadata fetch gives each URL its own error`(
    wire: ErrorCode, reason: String, expected: CKError.Code
  ) async throws {
    let server = FakeServer()
    server.on(ResolveShares.self) { request in
      ResolveShares.Response(
        results: request.shortGUIDs.map { .failure($0, refusal(wire, reason)) })
    }
    let container = server.container()
    await #expect { try await container.shareMetadata(for: url) } throws: { code($0) == expected }
    let bad = try #require(URL(string: "https://example.org"))
    let results = try await container.shareMetadatas(for: [bad, url])
    #expect(code(results[bad]) == .invalidArguments)
    #expect(code(results[url]) == expected)
    let old = CKFetchShareMetadataOperation(shareURLs: [url])
    let errors = Mutex<[CKError.Code?]>([])
    old.perShareMetadataBlock = { _, _, error in errors.withLock { $0.append(code(error)) } }
    old.fetchShareMetadataCompletionBlock = { error in errors.withLock { $0.append(code(error)) } }
    await container.run(old)
    #expect(errors.withLock { $0 } == [expected, .partialFailure])
  }
}

@Suite struct `Accepting shares` {
  private func metadata() throws -> CKShare.Metadata {
    try CKShare.Metadata(
      wire: WireShares.resolved(ShortGUID(value: WireShares.shortGUID)), naming: WireShares.naming)
  }

  @Test
  func `the acceptance of shares sends the short GUIDs and returns the shares`() async throws {
    let server = FakeServer()
    server.on(AcceptShares.self) { request in
      ResolveShares.Response(
        results: request.shortGUIDs.map { .share(WireShares.resolved($0, status: .accepted)) })
    }
    let share = try await server.container().accept(metadata())
    #expect(server.calls.map(\.path) == ["public/records/accept"])
    #expect(
      String(decoding: server.calls[0].body, as: UTF8.self) == """
        {"shortGUIDs":[{"value":"\(WireShares.shortGUID)","shouldFetchRootRecord":false}]}
        """)
    #expect(share.currentUserParticipant?.acceptanceStatus == .accepted)
    #expect(share.recordID.zoneID == CKRecordZone.ID(zoneName: "Z", ownerName: "_owner"))
  }

  @Test func `the acceptance of shares reports each share before the final block`() async throws {
    let server = FakeServer()
    server.on(AcceptShares.self) { request in
      ResolveShares.Response(results: [
        .share(WireShares.resolved(request.shortGUIDs[0], status: .accepted)),
        .failure(request.shortGUIDs[1], refusal(.notFound, Reason.shareNotFound)),
      ])
    }
    let metadatas = [try metadata(), try metadata()]
    let results = try await server.container().accept(metadatas)
    #expect(try results[metadatas[0]]?.get().recordID.recordName == "Share-1")
    #expect(code(results[metadatas[1]]) == .unknownItem)
    let operation = CKAcceptSharesOperation(shareMetadatas: metadatas)
    let journal = Journal()
    operation.perShareCompletionBlock = { _, share, error in
      journal.note("\(share != nil) \(code(error)?.rawValue ?? 0)")
    }
    operation.acceptSharesCompletionBlock = { journal.note("end \(code($0)?.rawValue ?? 0)") }
    await server.container().run(operation)
    #expect(journal.all == ["true 0", "false 11", "end 2"])
  }

  /// One request accepts at most 50 shares.
  @Test
  func `the acceptance of shares keeps the joined shares when a later request fails`()
    async throws
  {
    let server = FakeServer()
    let count = Mutex(0)
    server.on(AcceptShares.self) { request in
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      return ResolveShares.Response(
        results: isFirst
          ? request.shortGUIDs.map { .share(WireShares.resolved($0, status: .accepted)) } : [])
    }
    let operation = CKAcceptSharesOperation(
      shareMetadatas: try (0..<60).map { _ in try metadata() })
    let journal = Journal()
    operation.perShareResultBlock = { _, result in
      if case .success = result { journal.note("joined") }
    }
    operation.acceptSharesResultBlock = { result in
      if case .failure = result { journal.note("failed") }
    }
    await server.container().run(operation)
    #expect(journal.all == Array(repeating: "joined", count: 50) + ["failed"])
  }

  @Test
  func `the acceptance of a share of another container fails with badContainer`() async throws {
    let server = FakeServer()
    let metadata = try CKShare.Metadata(
      wire: WireShares.resolved(
        ShortGUID(value: "G"), container: "iCloud.org.example.Other"),
      naming: WireShares.naming)
    let container = server.container()
    await #expect { try await container.accept(metadata) } throws: { code($0) == .badContainer }
    #expect(server.calls.isEmpty)
  }

  @Test func `the acceptance of shares needs an account`() async throws {
    let server = FakeServer()
    let container = server.container(webAuthToken: nil)
    let metadata = try metadata()
    await #expect { try await container.accept(metadata) } throws: { code($0) == .notAuthenticated }
    #expect(server.calls.isEmpty)
  }
}

@Suite struct `Participants to invite` {
  @Test
  func `share participants are created from addresses and IDs without a request`() async throws {
    let server = FakeServer()
    let container = server.container()
    let bob = try await container.shareParticipant(forEmailAddress: "bob@example.org")
    #expect(bob.userIdentity.lookupInfo?.emailAddress == "bob@example.org")
    #expect(!bob.userIdentity.hasiCloudAccount)
    #expect(bob.userIdentity.userRecordID == nil)
    #expect(bob.role == .privateUser)
    #expect(bob.permission == .readOnly)
    #expect(bob.acceptanceStatus == .pending)
    let ann = CKRecord.ID(recordName: "_ann")
    let known = try await container.shareParticipant(forUserRecordID: ann)
    #expect(known.userIdentity.userRecordID == ann)
    #expect(server.calls.isEmpty)
  }

  @Test
  func `a lookup of share participants returns a result for each address and ID`() async throws {
    let container = FakeServer().container()
    let emails = try await container.shareParticipants(forEmailAddresses: ["a@b.org", "nothing"])
    #expect(try emails["a@b.org"]?.get().userIdentity.lookupInfo?.emailAddress == "a@b.org")
    #expect(code(emails["nothing"]) == .invalidArguments)
    let ids = [CKRecord.ID(recordName: "_a"), CKRecord.ID(recordName: "_b")]
    let byID = try await container.shareParticipants(forUserRecordIDs: ids)
    #expect(Set(byID.keys) == Set(ids))
    let lookups = CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: ["1"])
    let byNumber = try await container.shareParticipants(for: lookups)
    #expect(code(byNumber[lookups[0]]) == .invalidArguments)
  }

  @Test func `a lookup of share participants needs an account`() async throws {
    let container = FakeServer().container(webAuthToken: nil)
    await #expect {
      try await container.shareParticipant(forEmailAddress: "a@b.org")
    } throws: { code($0) == .notAuthenticated }
  }
}

@Suite struct `Saving shares` {
  @Test func `a save of a share sends the share and its root in one request`() async throws {
    let server = FakeServer()
    server.on(ModifyRecords.self) { request in
      var response = accepted(request)
      for (index, operation) in request.operations.enumerated() where operation.share != nil {
        response.records[index] = .record(WireShares.dictionary(operation.recordName ?? ""))
      }
      return response
    }
    let root = note("root")
    let share = CKShare(rootRecord: root, shareID: id("Share-1"))
    let (results, _) = try await server.database.modifyRecords(saving: [share, root], deleting: [])
    #expect(try results[share.recordID]?.get() === share)
    #expect(share.url != nil)
    let request = try server.calls[0].request(ModifyRecords.Request.self)
    #expect(request.operations.map(\.recordType) == ["cloudkit.share", "Note"])
    #expect(request.operations[0].share?.rootRecordName == "root")
  }

  @Test
  func `a new share must be saved with its root record, but a share from the server need not`()
    async throws
  {
    let server = FakeServer()
    server.on(ModifyRecords.self) { _ in
      RecordsResponse(records: [.record(WireShares.dictionary(tag: "s2"))])
    }
    let database = server.database
    let share = CKShare(rootRecord: note("root"))
    await #expect { try await database.save(share) } throws: { code($0) == .invalidArguments }
    #expect(server.calls.isEmpty)
    try await database.save(WireShares.share())
    try await database.save(CKShare(recordZoneID: zoneZ))
    #expect(server.calls.count == 2)
  }

  @Test func `a save of a share in the public database is refused`() async throws {
    let server = FakeServer()
    let share = CKShare(recordZoneID: .default)
    await #expect {
      try await server.container().publicCloudDatabase.save(share)
    } throws: { code($0) == .badDatabase }
    #expect(server.calls.isEmpty)
  }

  /// The server's reasons, and the error codes of Apple's framework.
  @Test(arguments: [
    (ErrorCode.badRequest, Reason.recordAlreadyShared, CKError.Code.alreadyShared),
    (.badRequest, Reason.ancestorShared, .alreadyShared),
    (.badRequest, Reason.descendantShared, .alreadyShared),
    (.badRequest, Reason.tooManyParticipants, .tooManyParticipants),
    (.badRequest, Reason.tooManyShares, .limitExceeded),
    (.badRequest, Reason.zoneAlreadyShared, .serverRejectedRequest),
    (.badRequest, Reason.recordsAlreadyShared, .invalidArguments),
    (.badRequest, Reason.participantsArePublic, .invalidArguments),
    (.badRequest, Reason.participantUnknown, .invalidArguments),
    (.badRequest, Reason.ownerIsFixed, .invalidArguments),
    (.badRequest, Reason.shareRootMissing, .invalidArguments),
    (.badRequest, Reason.shareNeedsCustomZone, .badDatabase),
    (.accessDenied, Reason.accessDenied, .permissionFailure),
  ])
  func `a refused save of a share fails with the error code of Apple's framework`(
    wire: ErrorCode, reason: String, expected: CKError.Code
  ) async {
    let server = FakeServer()
    server.on(ModifyRecords.self) { _ in
      RecordsResponse(records: [
        .failure(RecordFailure(recordName: "cloudkit.zoneshare", error: refusal(wire, reason)))
      ])
    }
    let share = CKShare(recordZoneID: zoneZ)
    await #expect { try await server.database.save(share) } throws: { code($0) == expected }
  }

  @Test func `a save of a second share of a zone is a conflict with the server's share`() async {
    let server = FakeServer()
    server.on(ModifyRecords.self) { _ in
      RecordsResponse(records: [
        .failure(
          RecordFailure(
            recordName: "cloudkit.zoneshare", error: refusal(.conflict, Reason.recordExists),
            serverRecord: WireShares.dictionary("cloudkit.zoneshare", publicPermission: .readOnly)))
      ])
    }
    do {
      try await server.database.save(CKShare(recordZoneID: zoneZ))
      Issue.record("the save must be a conflict")
    } catch let error as CKError {
      #expect(error.code == .serverRecordChanged)
      #expect((error.serverRecord as? CKShare)?.publicPermission == .readOnly)
    } catch {
      Issue.record(error)
    }
  }
}

extension CKContainer {
  /// Runs an operation and waits until it is finished.
  fileprivate func run(_ operation: CKOperation) async {
    await withCheckedContinuation { continuation in
      operation.completionBlock = { continuation.resume() }
      add(operation)
    }
  }
}
