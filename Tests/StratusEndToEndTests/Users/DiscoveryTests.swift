import CloudKit
import StratusAccounts
import StratusDomain
import StratusTesting
import StratusWire
import Testing

@Suite struct `The discovery of users by an app` {
  /// Runs a body with devices of Ann and of Bob. Bob has used the app.
  private func withBob(
    discoverability: Discoverability?, _ body: (CKContainer, CKContainer) async throws -> Void
  ) async throws {
    try await withCloud { cloud in
      let (ann, bob) = (
        try await cloud.device(), try await cloud.device(of: "bob@example.org")
      )
      try await ann.publicCloudDatabase.save(note("a", in: .default))
      _ = try await bob.userRecordID()
      if let discoverability {
        try await cloud.server.setProfile(
          Profile(name: PersonName(given: "Bob", family: "Lee"), discoverability: discoverability),
          of: "bob@example.org")
      }
      try await body(ann, bob)
    }
  }

  @Test func `a user who has agreed is found by address and by record ID`() async throws {
    try await withBob(discoverability: .granted) { ann, bob in
      let bobID = try await bob.userRecordID()
      let found = [
        try await ann.userIdentity(forEmailAddress: "bob@example.org"),
        try await ann.userIdentity(forUserRecordID: bobID),
      ]
      for identity in found {
        #expect(identity?.userRecordID == bobID)
        #expect(identity?.nameComponents?.givenName == "Bob")
        #expect(identity?.nameComponents?.familyName == "Lee")
        #expect(identity?.hasiCloudAccount == true)
        #expect(identity?.contactIdentifiers == [])
      }
      #expect(found[0]?.lookupInfo?.emailAddress == "bob@example.org")
      #expect(found[1]?.lookupInfo?.userRecordID == bobID)
      #expect(try await ann.userIdentity(forPhoneNumber: "+4930123456") == nil)
      #expect(try await ann.userIdentity(forEmailAddress: "ann@example.org") == nil)
      // Users can find themselves. Their record ID then has the default name of the current user.
      let own = try await bob.userIdentity(
        forUserRecordID: CKRecord.ID(recordName: CKCurrentUserDefaultName))
      #expect(own?.userRecordID?.recordName == CKCurrentUserDefaultName)
      #expect(own?.nameComponents?.givenName == "Bob")
    }
  }

  @Test func `a long lookup returns each user under the text that the app has sent`()
    async throws
  {
    try await withBob(discoverability: .granted) { ann, bob in
      let bobID = try await bob.userRecordID()
      let emails = (0..<150).map { "a\($0)@example.org" } + ["BOB@example.org"]
      let byEmail = try await ann.userIdentities(forEmailAddresses: emails)
      #expect(byEmail.mapValues(\.userRecordID) == ["BOB@example.org": bobID])
      let byID = try await ann.userIdentities(
        forUserRecordIDs: [bobID, CKRecord.ID(recordName: "_none")])
      #expect(byID.mapValues(\.userRecordID) == [bobID: bobID])
      #expect(try await ann.userIdentities(forPhoneNumbers: ["+49301234567"]).isEmpty)
      #expect(try await ann.allUserIdentitiesFromContacts() == [])
    }
  }

  @Test(arguments: [nil, .denied] as [Discoverability?])
  func `a user who has not agreed is not found`(decision: Discoverability?) async throws {
    try await withBob(discoverability: decision) { ann, bob in
      let bobID = try await bob.userRecordID()
      #expect(try await ann.userIdentity(forEmailAddress: "bob@example.org") == nil)
      #expect(try await ann.userIdentity(forUserRecordID: bobID) == nil)
      let status = try await bob.applicationPermissionStatus(for: .userDiscoverability)
      #expect(status == (decision == nil ? .initialState : .denied))
    }
  }

  @Test func `the discovery permission is the account's decision, which an app cannot change`()
    async throws
  {
    try await withBob(discoverability: .granted) { ann, bob in
      let bobs = try await bob.requestApplicationPermission(.userDiscoverability)
      #expect(bobs == .granted)
      let anns = try await ann.requestApplicationPermission(.userDiscoverability)
      #expect(anns == .initialState)
      let status = try await ann.applicationPermissionStatus(for: .userDiscoverability)
      #expect(status == .initialState)
      await expect(.invalidArguments) { try await ann.applicationPermissionStatus(for: []) }
    }
  }

  @Test func `without a sign-in, no user is found`() async throws {
    try await withCloud { cloud in
      let device = try await cloud.device(of: nil)
      await expect(.notAuthenticated) {
        try await device.userIdentity(forEmailAddress: "a@b.org")
      }
      await expect(.notAuthenticated) { try await device.allUserIdentitiesFromContacts() }
      await expect(.notAuthenticated) {
        try await device.applicationPermissionStatus(for: .userDiscoverability)
      }
    }
  }

  @Test func `a web page with a token from the app is signed in as the same user`() async throws {
    try await withCloud { cloud in
      let device = try await cloud.device()
      let tokens = try await cloud.server.tokens(email: "ann@example.org")
      let journal = Journal()
      for apiToken in [tokens.apiToken, "00", nil] {
        let operation = CKFetchWebAuthTokenOperation()
        operation.apiToken = apiToken
        operation.fetchWebAuthTokenResultBlock = { result in
          journal.note((try? result.get()) ?? "\(code(result)?.rawValue ?? 0)")
        }
        await device.privateCloudDatabase.run(operation)
      }
      let invalid = "\(CKError.Code.invalidArguments.rawValue)"
      try #require(journal.all.count == 3)
      #expect(Array(journal.all.dropFirst()) == [invalid, invalid])
      let page = try await cloud.device(Cloud.containerID, webAuthToken: journal.all[0])
      #expect(try await page.userRecordID() == (try await device.userRecordID()))
    }
  }
}
