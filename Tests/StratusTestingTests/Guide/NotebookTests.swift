import CloudKit
import StratusTesting
import Testing

@Suite struct `The guide's notebook` {
  @Test func `a note written on the phone shows on the laptop`() async throws {
    let server = try await TestServer()
    let alice = try await server.account("alice@example.com")
    let phone = Notebook(container: alice.device("phone").container("iCloud.com.example.Notes"))
    let laptop = Notebook(container: alice.device("laptop").container("iCloud.com.example.Notes"))

    try await phone.add("Milk", as: "shopping")
    #expect(try await laptop.open("shopping")["text"] as? String == "Milk")
  }

  @Test func `both texts of a conflict are kept`() async throws {
    let server = try await TestServer()
    let alice = try await server.account("alice@example.com")
    let phone = Notebook(container: alice.device("phone").container("iCloud.com.example.Notes"))
    let laptop = Notebook(container: alice.device("laptop").container("iCloud.com.example.Notes"))
    try await phone.add("Milk", as: "shopping")

    let onPhone = try await phone.open("shopping")
    let onLaptop = try await laptop.open("shopping")
    onPhone["text"] = "Bread"
    onLaptop["text"] = "Apples"
    try await phone.save(onPhone)
    try await laptop.save(onLaptop)
    #expect(try await phone.open("shopping")["text"] as? String == "Bread + Apples")
  }

  @Test func `a test can write and read the server's data without a device`() async throws {
    let server = try await TestServer()
    let alice = try await server.account("alice@example.com")
    let stored = try await alice.database("iCloud.com.example.Notes")

    let note = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "shopping"))
    note["text"] = "Milk"
    try await stored.save([note])

    let phone = Notebook(container: alice.device("phone").container("iCloud.com.example.Notes"))
    let opened = try await phone.open("shopping")
    opened["text"] = "Bread"
    try await phone.save(opened)
    #expect(try await stored.records(ofType: "Note").map { $0["text"] as? String } == ["Bread"])
  }

  @Test func `an app's default container belongs to the test device`() async throws {
    let server = try await TestServer()
    let phone = try await server.account("alice@example.com").device("phone")

    try await phone.withDefaultContainer("iCloud.com.example.Notes") {
      try await Notebook().add("Milk", as: "shopping")
    }
    #expect(phone.requestsCount(.modifyRecords) == 1)
  }

  @Test func `production refuses a field that was not deployed`() async throws {
    let server = try await TestServer()
    try await server.deploy(["Note": ["title": .string]], to: "iCloud.com.example.Notes")
    let phone = try await server.account("alice@example.com").device("phone")
    let notebook = Notebook(
      container: phone.container("iCloud.com.example.Notes", environment: .production))

    let error = await #expect(throws: CKError.self) {
      try await notebook.add("Milk", as: "shopping")
    }
    #expect(error?.code == .invalidArguments)
  }
}

/// The single lines of code in the guide. The test shows that they compile and run.
@Suite struct `The guide's list of mishaps` {
  @Test func `every line of the guide's list of mishaps compiles and runs`() async throws {
    let server = try await TestServer()
    let alice = try await server.account("alice@example.com")
    let bob = try await server.account("bob@example.com")
    let phone = alice.device("phone")
    let laptop = alice.device("laptop")
    let stored = try await alice.database("iCloud.com.example.Notes")
    try await stored.save([note(in: "Notes")])

    await server.clock.advance(by: .seconds(3_600))

    phone.fail(next: .modifyRecords, with: .zoneBusy, retryAfterSeconds: 3)
    phone.fail(next: .modifyRecords.of("shopping"), with: .serverRejectedRequest)  // one record
    phone.fail(next: .recordZoneChanges.in("Notes"), with: .changeTokenExpired)

    phone.disturb(next: .modifyRecords, by: .losesRequest)
    phone.disturb(next: .modifyRecords, by: .losesResponse)  // after the save
    phone.disturb(next: .any, by: .isLate(by: .seconds(20)))
    phone.disturb(next: .any, by: .answers(status: 502))
    phone.isOnline = false

    laptop.dropNotifications()
    laptop.duplicateNotifications(next: 2)
    laptop.holdNotifications()
    laptop.releaseNotifications()
    laptop.delayNotifications(by: .seconds(40))

    server.isAvailable = false  // serviceUnavailable
    try server.expireChangeTokens()  // changeTokenExpired, for all tokens so far
    try await server.loseAssets()  // assetNotAvailable
    alice.isStorageFull = true  // quotaExceeded
    alice.isRestricted = true  // managedAccountRestricted, CKAccountChanged
    alice.isTemporarilyUnavailable = true  // accountTemporarilyUnavailable, CKAccountChanged
    try await alice.purgeZone("Notes", in: "iCloud.com.example.Notes")  // userDeletedZone
    try await stored.save([note(in: "Notes")])
    try await alice.resetEncryptedData(ofZone: "Notes", in: "iCloud.com.example.Notes")
    phone.signOut()  // notAuthenticated
    phone.signIn(bob)

    #expect(phone.pendingFaultsCount == 7)
  }

  private func note(in zoneName: String) -> CKRecord {
    let zoneID = CKRecordZone.ID(zoneName: zoneName)
    return CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "shopping", zoneID: zoneID))
  }
}
