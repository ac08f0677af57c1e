import CloudKit
import NotesSync
import StratusTesting
import Testing

@Suite struct `The account` {
  @Test
  func `the app keeps its notes after a sign-out, and sends later changes after a sign-in`()
    async throws
  {
    try await withHousehold { home in
      try await home.shareMilk()
      home.phone.device.signOut()
      try await home.server.wait { await home.phone.message == "Nobody is signed in." }
      try await home.phone.app.write("Nails", as: "tools")
      #expect(await home.phone.texts == ["shopping": "Milk", "tools": "Nails"])
      home.phone.device.signIn(home.alice)
      try await home.waitUntilBothShow(["shopping": "Milk", "tools": "Nails"])
    }
  }

  @Test
  func `an account of another user receives none of the notes, sent or unsent`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      home.phone.device.isOnline = false
      try await home.phone.app.write("Nails", as: "tools")
      await home.phone.app.settled()

      let bob = try await home.server.account("bob@example.com")
      home.phone.device.signIn(bob)
      home.phone.device.isOnline = true
      try await home.wait(until: home.phone, shows: [:])
      try await home.phone.app.write("Bob's", as: "diary")
      try await home.server.wait { await home.phone.app.overview.isBackedUp }
      let other = try NotesDevice(bob.device("other"), home.server, Backup.Settings())
      await other.app.start()
      try await home.wait(until: other, shows: ["diary": "Bob's"])
      #expect(await home.laptop.texts == ["shopping": "Milk"])
      await other.throwAway()

      home.phone.device.signIn(home.alice)
      try await home.waitUntilBothShow(["shopping": "Milk", "tools": "Nails"])
      home.phone.device.signIn(bob)
      try await home.wait(until: home.phone, shows: ["diary": "Bob's"])
    }
  }

  @Test func `an account of another user is detected at the start of the app`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      await home.phone.app.stop()
      home.phone.device.signIn(try await home.server.account("bob@example.com"))
      try await home.phone.relaunch()
      try await home.wait(until: home.phone, shows: [:])
      home.phone.device.signIn(home.alice)
      try await home.waitUntilBothShow(["shopping": "Milk"])
    }
  }

  @Test func `the app retries while the account is temporarily unavailable`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      home.alice.isTemporarilyUnavailable = true
      try await home.phone.app.write("Bread", as: "shopping")
      try await home.server.wait {
        await home.phone.message == "The account needs attention. Sign in again."
      }
      home.alice.isTemporarilyUnavailable = false
      try await home.waitUntilBothShow(["shopping": "Bread"])
    }
  }
}
