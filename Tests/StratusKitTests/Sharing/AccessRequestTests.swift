import Foundation
import StratusWire
import Synchronization
import Testing

@testable import StratusKit

@Suite struct `Requests for access and one-time URLs` {
  private func requester(_ user: String) -> ShareRequester {
    ShareRequester(
      identity: ParticipantIdentity(
        userRecordName: user, lookup: .emailAddress("\(user)@example.org")),
      requestedAt: 1)
  }

  private func share(
    requesters: [String] = [], blocked: [String] = [], guests: [ShareParticipant] = []
  ) throws -> CKShare {
    var wire = WireShares.dictionary(guests: guests)
    wire.sharing?.allowsAccessRequests = true
    wire.sharing?.requesters = requesters.map(requester)
    wire.sharing?.blocked = blocked.map {
      BlockedIdentity(identity: ParticipantIdentity(userRecordName: $0))
    }
    return try WireShares.share(wire)
  }

  /// Returns the part of the share's save that saves of other records do not have.
  private func input(of share: CKShare) throws -> ShareInput? {
    try share.prepareSave(policy: .ifServerRecordUnchanged).operation.share
  }

  @Test func `a fetched share has its requesters and blocked users`() throws {
    let share = try share(requesters: ["_bob"], blocked: ["_cid"])
    #expect(share.allowsAccessRequests)
    let bob = try #require(share.requesters.first)
    #expect(bob.userIdentity.userRecordID?.recordName == "_bob")
    #expect(bob.userIdentity.lookupInfo?.emailAddress == "_bob@example.org")
    #expect(bob.participantLookupInfo.userRecordID?.recordName == "_bob")
    #expect(share.blockedIdentities.map(\.userIdentity.userRecordID?.recordName) == ["_cid"])
    #expect(try input(of: share) == nil)
  }

  @Test func `a new share takes no requests for access, and a save can allow them`() throws {
    let share = CKShare(rootRecord: note("root"))
    #expect(!share.allowsAccessRequests)
    share.allowsAccessRequests = true
    #expect(try input(of: share)?.allowsAccessRequests == true)
  }

  @Test func `a save sends the names of denied, blocked and unblocked users`() throws {
    let share = try share(requesters: ["_bob", "_dora"], blocked: ["_cid"])
    share.denyRequesters([share.requesters[0]])
    share.blockRequesters([share.requesters[0]])
    share.unblockIdentities(share.blockedIdentities.filter { $0.userRecordName == "_cid" })
    let sent = try #require(try input(of: share))
    #expect(sent.deniedRequesters == ["_bob"])
    #expect(sent.blockedRequesters == ["_dora"])
    #expect(sent.unblockedIdentities == ["_cid"])
    #expect(sent.participants == nil)
    #expect(share.requesters.isEmpty)
    #expect(share.blockedIdentities.map(\.userRecordName) == ["_dora"])
  }

  @Test func `blocking a requester removes the participant of the same user`() throws {
    let share = try share(
      requesters: ["_bob"],
      guests: [WireShares.guest("p-bob", "bob@example.org", userName: "_bob", status: .accepted)])
    share.blockRequesters(share.requesters)
    #expect(share.participants.map(\.role) == [.owner])
    #expect(try input(of: share)?.participants == [])
  }

  @Test func `an archived share keeps its unsaved answers to requests for access`() throws {
    let share = try share(requesters: ["_bob", "_dora"])
    share.blockRequesters([share.requesters[1]])
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: share, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.self, from: data))
    #expect(read.requesters.map(\.userRecordName) == ["_bob"])
    #expect(read.blockedIdentities.map(\.userRecordName) == ["_dora"])
    #expect(try input(of: read)?.blockedRequesters == ["_dora"])
  }

  @Test func `a participant of a one-time URL is sent without an identity`() throws {
    let share = CKShare(rootRecord: note("root"))
    let guest = CKShare.Participant.oneTimeURLParticipant()
    guest.permission = .readWrite
    share.addParticipant(guest)
    #expect(guest.userIdentity.lookupInfo == nil)
    #expect(guest.userIdentity.nameComponents == nil)
    #expect(share.oneTimeURL(for: guest.participantID) == nil)
    let sent = try #require(try input(of: share)?.participants?.first)
    #expect(sent.isOneTime)
    #expect(sent.identity == ParticipantIdentity())
    #expect(sent.permission == .readWrite)
  }

  @Test func `the owner of a share sees the one-time URL of a participant`() throws {
    var guest = ShareParticipant(
      participantID: "p-1", identity: ParticipantIdentity(), addedAt: 86_400_000)
    guest.isOneTime = true
    guest.oneTimeShortGUID = WireShares.shortGUID + "ABCDEFGHIJKLMNOPQRSTUV"
    let share = try share(guests: [guest])
    #expect(
      share.oneTimeURL(for: "p-1")?.absoluteString
        == "https://cloud.example.org/share/\(WireShares.shortGUID)ABCDEFGHIJKLMNOPQRSTUV")
    #expect(share.oneTimeURL(for: "p-owner") == nil)
    #expect(share.participants[1].dateAddedToShare == Date(timeIntervalSince1970: 86_400))
    #expect(!share.participants[1].isApprovedRequester)
  }

  @Test func `a request for access sends the IDs of the URLs and reports each URL`() async throws {
    let server = FakeServer()
    server.on(RequestShareAccess.self) { request in
      RequestShareAccess.Response(
        results: request.shortGUIDs.enumerated().map { index, guid in
          RequestShareAccess.Result(
            shortGUID: guid,
            error: index == 0
              ? nil
              : ErrorDictionary(
                code: .badRequest, reason: Reason.participantAlreadyInvited, uuid: "u"))
        })
    }
    let urls = try ["abcdefgh", "ijklmnop"].map { id in
      try #require(URL(string: "https://cloud.example.org/share/\(id)#Title"))
    }
    let operation = CKShareRequestAccessOperation(shareURLs: urls)
    let codes = Mutex<[URL: CKError.Code?]>([:])
    operation.perShareAccessRequestResultBlock = { url, result in
      var code: CKError.Code?
      if case .failure(let error) = result { code = (error as? CKError)?.code }
      codes.withLock { $0[url] = .some(code) }
    }
    let container = server.container()
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      operation.shareAccessRequestResultBlock = { continuation.resume(with: $0) }
      container.add(operation)
    }
    #expect(server.calls.map(\.path).last == "public/records/access")
    #expect(codes.withLock { $0[urls[0]] } == .some(.none))
    #expect(codes.withLock { $0[urls[1]] } == .some(.participantAlreadyInvited))
  }
}
