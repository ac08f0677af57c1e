import StratusWire
import Testing

@testable import StratusDomain

@Suite struct `Changes of a share by its owner` {
  private static let empty = ShareState(
    rootRecordName: "root", shortGUID: "guid", publicPermission: .none, participants: [])

  private func apply(
    _ input: ShareInput, to state: ShareState = Self.empty, now: Int64 = 7
  ) throws(ServerError) -> ShareState {
    try ShareEdit(
      owner: "_ann", newIDs: ["p1", "p2", "p3"], newTokens: ["token1", "token2"], now: now
    ).applied(input, to: state, isNew: false)
  }

  private func requester(_ user: String, _ address: String? = nil) -> ShareRequester {
    ShareRequester(
      identity: ParticipantIdentity(
        userRecordName: user, lookup: address.map(ParticipantLookup.emailAddress)),
      requestedAt: 1)
  }

  private func member(_ user: String) -> ShareParticipant {
    ShareParticipant(
      participantID: "id of \(user)", identity: ParticipantIdentity(userRecordName: user),
      status: .accepted, permission: .readWrite)
  }

  private func oneTime(_ permission: SharePermissionName = .readWrite) -> ShareParticipant {
    var participant = ShareParticipant(identity: ParticipantIdentity(), permission: permission)
    participant.isOneTime = true
    return participant
  }

  @Test func `each participant with a one-time URL gets its own participant ID and URL`() throws {
    let state = try apply(ShareInput(participants: [oneTime(), oneTime(.readOnly)]))
    #expect(state.participants.map(\.oneTimeShortGUID) == ["guidtoken1", "guidtoken2"])
    #expect(state.participants.map(\.participantID) == ["p1", "p2"])
    #expect(state.participants.map(\.permission) == [.readWrite, .readOnly])
    #expect(state.participants.map(\.status) == [.invited, .invited])
    #expect(state.participants.map(\.addedAt) == [7, 7])
  }

  @Test func `a participant keeps the one-time URL when the share is saved again`() throws {
    let first = try apply(ShareInput(participants: [oneTime()]))
    var sent = ShareParticipant(participantID: "p1", identity: ParticipantIdentity())
    sent.permission = .readOnly
    let second = try apply(ShareInput(participants: [sent]), to: first, now: 9)
    #expect(second.participants.map(\.oneTimeShortGUID) == ["guidtoken1"])
    #expect(second.participants.map(\.permission) == [.readOnly])
    #expect(second.participants.map(\.addedAt) == [7])
  }

  @Test func `a participant with neither an identity nor a one-time URL is refused`() {
    let error = #expect(throws: ServerError.self) {
      try apply(ShareInput(participants: [ShareParticipant(identity: ParticipantIdentity())]))
    }
    #expect(error?.reason == Reason.participantUnknown)
  }

  @Test func `a public share takes no participants with one-time URLs`() throws {
    var state = Self.empty
    state.publicPermission = .readOnly
    let error = #expect(throws: ServerError.self) {
      try apply(ShareInput(participants: [oneTime()]), to: state)
    }
    #expect(error?.reason == Reason.participantsArePublic)
  }

  @Test func `a denied requester leaves the list of requesters and is not blocked`() throws {
    var state = Self.empty
    state.requesters = [requester("_bob"), requester("_cid")]
    let changed = try apply(ShareInput(deniedRequesters: ["_bob", "_unknown"]), to: state)
    #expect(changed.requesters.map(\.identity.userRecordName) == ["_cid"])
    #expect(changed.blocked == [])
  }

  @Test func `a blocked user is neither a requester nor a participant`() throws {
    var state = Self.empty
    state.requesters = [requester("_bob", "bob@example.org")]
    state.participants = [member("_cid"), member("_dora")]
    let changed = try apply(
      ShareInput(
        participants: [member("_cid"), member("_dora")], blockedRequesters: ["_bob", "_cid"]),
      to: state)
    #expect(changed.requesters == [])
    #expect(changed.participants.map(\.identity.userRecordName) == ["_dora"])
    #expect(changed.blocked.map(\.identity.userRecordName) == ["_bob", "_cid"])
    #expect(changed.blocked[0].identity.lookup == .emailAddress("bob@example.org"))
    #expect(changed.members.keys.sorted() == ["_dora"])
  }

  @Test func `a repeated request to block a user changes nothing`() throws {
    var state = Self.empty
    state.requesters = [requester("_bob")]
    let first = try apply(ShareInput(blockedRequesters: ["_bob"]), to: state)
    #expect(try apply(ShareInput(blockedRequesters: ["_bob"]), to: first) == first)
  }

  @Test(arguments: [
    ParticipantLookup.userRecordName("_bob"), .emailAddress("BOB@example.org"),
  ])
  func `a blocked user can be invited only after the block has ended`(
    _ lookup: ParticipantLookup
  ) throws {
    var state = Self.empty
    state.blocked = [
      BlockedIdentity(
        identity: ParticipantIdentity(
          userRecordName: "_bob", lookup: .emailAddress("bob@example.org")))
    ]
    let bob = ShareParticipant(identity: ParticipantIdentity(lookup: lookup))
    let error = #expect(throws: ServerError.self) {
      try apply(ShareInput(participants: [bob]), to: state)
    }
    #expect(error?.reason == Reason.participantBlocked)
    let changed = try apply(
      ShareInput(participants: [bob], unblockedIdentities: ["_bob"]), to: state)
    #expect(changed.blocked == [])
    #expect(changed.participants.count == 1)
  }

  @Test func `the owner cannot be blocked`() throws {
    #expect(try apply(ShareInput(blockedRequesters: ["_ann"])) == Self.empty)
  }

  @Test func `a share has a limited number of blocked users`() throws {
    var state = Self.empty
    state.requesters = (0...Limits.blockedPerShareMax).map { requester("_\($0)") }
    let names = state.requesters.compactMap(\.identity.userRecordName)
    let error = #expect(throws: ServerError.self) {
      try apply(ShareInput(blockedRequesters: names), to: state)
    }
    #expect(error?.reason == Reason.tooManyBlocked)
  }

  @Test(arguments: [
    ParticipantLookup.userRecordName("_bob"), .emailAddress("bob@example.org"),
  ])
  func `a requester who becomes a participant counts as approved and leaves the list`(
    _ lookup: ParticipantLookup
  ) throws {
    var state = Self.empty
    state.requesters = [requester("_bob", "bob@example.org"), requester("_cid")]
    let bob = ShareParticipant(identity: ParticipantIdentity(lookup: lookup))
    let dora = ShareParticipant(
      identity: ParticipantIdentity(lookup: .userRecordName("_dora")))
    let changed = try apply(ShareInput(participants: [bob, dora]), to: state)
    #expect(changed.participants.map(\.isApprovedRequester) == [true, false])
    #expect(changed.requesters.map(\.identity.userRecordName) == ["_cid"])
  }
}

@Suite struct `Acceptances and requests for access` {
  private func invitation(
    _ state: ShareState, as user: String = "_bob", by shortGUID: String = "guid",
    addresses: [String] = ["bob@example.org"]
  ) -> ShareInvitation {
    ShareInvitation(
      state: state, owner: "_ann", user: user, addresses: addresses, shortGUID: shortGUID)
  }

  private var state: ShareState {
    var pending = ShareParticipant(
      participantID: "p1", identity: ParticipantIdentity(), permission: .readWrite)
    pending.isOneTime = true
    pending.oneTimeShortGUID = "guidtoken1"
    return ShareState(
      rootRecordName: "root", shortGUID: "guid", publicPermission: .none, participants: [pending])
  }

  @Test func `the first user with a one-time URL becomes its participant`() throws {
    let first = try invitation(state, by: "guidtoken1").accepted(id: "new", now: 1)
    #expect(first.participants.map(\.identity.userRecordName) == ["_bob"])
    #expect(first.participants.map(\.status) == [.accepted])
    #expect(first.members == ["_bob": ShareAccess(permission: .readWrite, administers: false)])
    let second = #expect(throws: ServerError.self) {
      try invitation(first, as: "_cid", by: "guidtoken1").accepted(id: "new", now: 1)
    }
    #expect(second?.code == .notFound)
    let again = try invitation(first, by: "guidtoken1").accepted(id: "new", now: 1)
    #expect(again == first)
  }

  @Test(arguments: ["guid", "guidtoken2", "guidtoken", ""])
  func `no other ID leads to the participant of a one-time URL`(_ shortGUID: String) {
    let error = #expect(throws: ServerError.self) {
      try invitation(state, by: shortGUID).accepted(id: "new", now: 1)
    }
    #expect(error?.reason == Reason.shareNotFound)
  }

  @Test func `an invited user does not use up a one-time URL`() throws {
    var state = state
    state.participants.append(
      ShareParticipant(
        participantID: "p2",
        identity: ParticipantIdentity(lookup: .emailAddress("bob@example.org")),
        permission: .readOnly))
    let joined = try invitation(state, by: "guidtoken1").accepted(id: "new", now: 1)
    #expect(joined.participants.map(\.status) == [.invited, .accepted])
  }

  @Test func `a blocked user cannot join, even if the share is public`() {
    var state = state
    state.publicPermission = .readWrite
    state.blocked = [BlockedIdentity(identity: ParticipantIdentity(userRecordName: "_bob"))]
    for shortGUID in ["guid", "guidtoken1"] {
      let error = #expect(throws: ServerError.self) {
        try invitation(state, by: shortGUID).accepted(id: "new", now: 1)
      }
      #expect(error?.reason == Reason.shareNotFound)
    }
    #expect(invitation(state).potentialMatches.isEmpty)
  }

  @Test func `a share takes requests only if its owner allows them`() throws {
    var state = state
    guard case .hidden = try invitation(state).requested(now: 5) else {
      Issue.record("the share takes a request")
      return
    }
    state.allowsAccessRequests = true
    guard case .requested(let asked) = try invitation(state).requested(now: 5) else {
      Issue.record("the share takes no request")
      return
    }
    #expect(
      asked.requesters == [
        ShareRequester(
          identity: ParticipantIdentity(
            userRecordName: "_bob", lookup: .emailAddress("bob@example.org")),
          requestedAt: 5)
      ])
    guard case .unchanged = try invitation(asked).requested(now: 6) else {
      Issue.record("a second request changes the share")
      return
    }
    #expect(asked.members.isEmpty)
  }

  @Test func `a blocked user cannot ask for access`() throws {
    var state = state
    state.allowsAccessRequests = true
    state.blocked = [BlockedIdentity(identity: ParticipantIdentity(userRecordName: "_bob"))]
    guard case .hidden = try invitation(state).requested(now: 5) else {
      Issue.record("the share takes a request of a blocked user")
      return
    }
  }

  @Test func `a user who may join cannot ask for access`() {
    var state = state
    state.allowsAccessRequests = true
    state.publicPermission = .readOnly
    let error = #expect(throws: ServerError.self) { try invitation(state).requested(now: 5) }
    #expect(error?.reason == Reason.participantAlreadyInvited)
  }

  @Test func `a share has a limited number of requesters`() {
    var state = state
    state.allowsAccessRequests = true
    state.requesters = (0..<Limits.accessRequestsPerShareMax).map {
      ShareRequester(identity: ParticipantIdentity(userRecordName: "_\($0)"), requestedAt: 1)
    }
    let error = #expect(throws: ServerError.self) { try invitation(state).requested(now: 5) }
    #expect(error?.reason == Reason.tooManyAccessRequests)
  }

  @Test func `a user who joins leaves the list of requesters`() throws {
    var state = state
    state.publicPermission = .readOnly
    state.requesters = [
      ShareRequester(identity: ParticipantIdentity(userRecordName: "_bob"), requestedAt: 1)
    ]
    let joined = try invitation(state).accepted(id: "new", now: 3)
    #expect(joined.requesters == [])
    #expect(joined.participants.last?.addedAt == 3)
  }
}

@Suite struct `IDs in the URLs of shares` {
  private let notes = StoreAddress(container: "iCloud.org.example.Notes", environment: .production)

  @Test func `the ID of a share has three routing characters and 22 random characters`() {
    var count = 0
    let guid = ShareGUID.make(for: notes) {
      count += 1
      return "01234567-89AB-4CDE-8F01-23456789ABC\(count)"
    }
    #expect(guid.count == 25)
    #expect(guid.hasPrefix(ShareGUID.routing(of: notes)))
    #expect(ShareGUID.isPlausible(guid))
  }

  @Test func `the environments of a container have different routing characters`() {
    var development = notes
    development.environment = .development
    #expect(ShareGUID.routing(of: development) != ShareGUID.routing(of: notes))
    #expect(ShareGUID.routing(of: notes) == ShareGUID.routing(of: notes))
  }

  @Test(arguments: ["", "short", "../../account", "abcdefgh ijkl", "abcdefgh\u{0}ijk", "äöüäöüäöü"])
  func `a text of the wrong length or with other characters is not an ID of a share`(_ text: String)
  {
    #expect(!ShareGUID.isPlausible(text))
  }

  @Test func `the ID of a one-time URL begins with the ID of its share`() {
    let share = String(repeating: "a", count: 25)
    let token = String(repeating: "b", count: ShareGUID.tokenCharactersCount)
    #expect(ShareGUID.share(inOneTime: share + token) == share)
    #expect(ShareGUID.share(inOneTime: share) == nil)
  }
}

@Suite struct `URLs to which the pages of shares lead` {
  @Test(arguments: [
    "trips://open?share=", "https://trips.example.org/s?u=", "org.example.trips://x",
  ])
  func `the app URL for shares has the app's own scheme or is a web URL`(_ url: String) throws {
    #expect(try ShareLinkTarget.checked(url, isWebPage: false) == .set(url))
  }

  @Test(arguments: [
    "javascript://%0aalert(1)", "data://text/html,x", "file:///etc/passwd", "trips:open", "://x",
    "trips", "trips://a b", "trips://\"><script>", "trips://x#y", "1trips://x",
    "JavaScript://x",
  ])
  func `an unsafe or malformed URL is refused as the app URL for shares`(_ url: String) {
    #expect(throws: ServerError.self) { try ShareLinkTarget.checked(url, isWebPage: false) }
  }

  @Test func `a fallback URL is a web page`() {
    #expect(throws: ServerError.self) {
      try ShareLinkTarget.checked("trips://x", isWebPage: true)
    }
  }

  @Test func `an empty text removes a URL from the settings, and a missing text keeps it`() throws {
    #expect(try ShareLinkTarget.checked("", isWebPage: true).replacing("https://a") == nil)
    #expect(
      try ShareLinkTarget.checked(nil, isWebPage: true).replacing("https://a") == "https://a")
  }
}
