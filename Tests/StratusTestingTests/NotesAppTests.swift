import CloudKit
import StratusTesting
import Testing

/// Tests of an app's sync code. docs/guide/testing.md explains them.
@Suite struct `An app that keeps notes` {
  /// Alice's phone and laptop. The app runs on both.
  private struct Home {
    let server: TestServer
    let alice: TestAccount
    let phone: TestDevice
    let laptop: TestDevice
    let phoneApp: NotesApp
    let laptopApp: NotesApp

    init() async throws {
      server = try await TestServer()
      alice = try await server.account("alice@example.com")
      phone = alice.device("phone")
      laptop = alice.device("laptop")
      phoneApp = NotesApp(container: phone.container(NotesApp.containerID))
      laptopApp = NotesApp(container: laptop.container(NotesApp.containerID))
      await phoneApp.start()
      await laptopApp.start()
    }

    /// Waits until both apps show these notes.
    func bothShow(_ texts: [String: String]) async throws {
      try await server.wait {
        let (onPhone, onLaptop) = await (phoneApp.texts, laptopApp.texts)
        return onPhone == texts && onLaptop == texts
      }
    }

    func stop() async {
      await phoneApp.stop()
      await laptopApp.stop()
      await server.stop()
    }
  }

  private func withHome(_ body: (Home) async throws -> Void) async throws {
    let home = try await Home()
    do { try await body(home) } catch {
      await home.stop()
      throw error
    }
    await home.stop()
  }

  @Test func `a note that was written on the phone appears on the laptop`() async throws {
    try await withHome { home in
      await home.phoneApp.write("Milk", as: "shopping")
      try await home.bothShow(["shopping": "Milk"])
      await home.laptopApp.remove("shopping")
      try await home.bothShow([:])
    }
  }

  @Test func `the notes app keeps both texts of a conflict`() async throws {
    try await withHome { home in
      await home.phoneApp.write("Milk", as: "shopping")
      try await home.bothShow(["shopping": "Milk"])
      home.laptop.isOnline = false
      await home.phoneApp.write("Bread", as: "shopping")
      await home.laptopApp.write("Apples", as: "shopping")
      try await home.server.wait { home.laptop.requestsCount(.modifyRecords) > 0 }
      home.laptop.isOnline = true
      try await home.bothShow(["shopping": "Apples + Bread"])
    }
  }

  @Test func `a note that was written without a network is sent later`() async throws {
    try await withHome { home in
      await home.phoneApp.write("Milk", as: "shopping")
      try await home.bothShow(["shopping": "Milk"])
      home.phone.isOnline = false
      await home.phoneApp.write("Milk, eggs", as: "shopping")
      await home.server.clock.advance(by: .seconds(120))
      #expect(await home.laptopApp.texts == ["shopping": "Milk"])
      home.phone.isOnline = true
      try await home.bothShow(["shopping": "Milk, eggs"])
    }
  }

  @Test func `a note is not saved twice when an answer is lost`() async throws {
    try await withHome { home in
      await home.phoneApp.write("Milk", as: "shopping")
      try await home.bothShow(["shopping": "Milk"])
      home.phone.disturb(next: .modifyRecords, by: .losesResponse)
      await home.phoneApp.write("Bread", as: "shopping")
      try await home.bothShow(["shopping": "Bread"])
      #expect(home.phone.pendingFaultsCount == 0)
      #expect(await home.phoneApp.messages == [])
    }
  }

  @Test func `the notes app waits for the retry delay of a busy zone`() async throws {
    try await withHome { home in
      await home.phoneApp.write("Milk", as: "shopping")
      try await home.bothShow(["shopping": "Milk"])
      home.phone.fail(next: .modifyRecords, with: .zoneBusy, retryAfterSeconds: 90)
      let before = home.server.clock.now
      await home.phoneApp.write("Bread", as: "shopping")
      try await home.bothShow(["shopping": "Bread"])
      #expect(before.duration(to: home.server.clock.now) >= .seconds(90))
    }
  }

  @Test
  func `the notes app removes its notes when the user deletes the data in the settings`()
    async throws
  {
    try await withHome { home in
      await home.phoneApp.write("Milk", as: "shopping")
      try await home.bothShow(["shopping": "Milk"])
      try await home.alice.purgeZone("Notes", in: NotesApp.containerID)
      try await home.bothShow([:])
      #expect(await home.phoneApp.messages == ["zone purged"])
    }
  }

  @Test func `the notes app sends its notes again when encrypted data is reset`() async throws {
    try await withHome { home in
      await home.phoneApp.write("Milk", as: "shopping")
      await home.phoneApp.write("Nails", as: "tools")
      let notes = ["shopping": "Milk", "tools": "Nails"]
      try await home.bothShow(notes)
      try await home.alice.resetEncryptedData(ofZone: "Notes", in: NotesApp.containerID)
      for app in [home.phoneApp, home.laptopApp] {
        try await home.server.wait {
          let (messages, count) = await (app.messages, app.pendingCount)
          return messages == ["zone encryptedDataReset"] && count == 0
        }
      }
      try await home.bothShow(notes)
      let tablet = NotesApp(
        container: home.alice.device("tablet").container(NotesApp.containerID))
      await tablet.start()
      try await home.server.wait { await tablet.texts == notes }
      await tablet.stop()
    }
  }

  @Test func `the notes app recovers when its change tokens have expired`() async throws {
    try await withHome { home in
      await home.phoneApp.write("Milk", as: "shopping")
      try await home.bothShow(["shopping": "Milk"])
      try home.server.expireChangeTokens()
      await home.phoneApp.write("Bread", as: "list")
      try await home.bothShow(["shopping": "Milk", "list": "Bread"])
    }
  }

  @Test
  func `a change whose notification was lost arrives with the next notification`() async throws {
    try await withHome { home in
      await home.phoneApp.write("Milk", as: "shopping")
      try await home.bothShow(["shopping": "Milk"])
      home.laptop.dropNotifications()
      await home.phoneApp.write("Bread", as: "shopping")
      try await home.server.wait { await home.phoneApp.pendingCount == 0 }
      await home.phoneApp.write("Nails", as: "tools")
      try await home.bothShow(["shopping": "Bread", "tools": "Nails"])
    }
  }

  @Test
  func `after another user signs in, the notes app shows the notes of that user`() async throws {
    try await withHome { home in
      await home.phoneApp.write("Milk", as: "shopping")
      try await home.bothShow(["shopping": "Milk"])
      home.phone.signIn(try await home.server.account("bob@example.com"))
      try await home.server.wait { await home.phoneApp.messages == ["another account"] }
      #expect(await home.phoneApp.texts == [:])
      await home.phoneApp.write("Nails", as: "tools")
      try await home.server.wait { await home.phoneApp.pendingCount == 0 }
      home.phone.signIn(home.alice)
      try await home.bothShow(["shopping": "Milk"])
    }
  }

  @Test func `the notes app removes its notes when the account is signed out`() async throws {
    try await withHome { home in
      await home.phoneApp.write("Milk", as: "shopping")
      try await home.bothShow(["shopping": "Milk"])
      home.phone.signOut()
      try await home.server.wait { await home.phoneApp.messages == ["signed out"] }
      #expect(await home.phoneApp.texts == [:])
      #expect(await home.laptopApp.texts == ["shopping": "Milk"])
    }
  }

  @Test func `the notes app reports once that the storage is full`() async throws {
    try await withHome { home in
      await home.phoneApp.write("Milk", as: "shopping")
      try await home.bothShow(["shopping": "Milk"])
      home.alice.isStorageFull = true
      await home.phoneApp.write("Bread", as: "shopping")
      try await home.server.wait { await home.phoneApp.messages == ["storage is full"] }
      await home.server.clock.advance(by: .seconds(3_600))
      #expect(await home.phoneApp.messages == ["storage is full"])
      #expect(await home.laptopApp.texts == ["shopping": "Milk"])
    }
  }
}
