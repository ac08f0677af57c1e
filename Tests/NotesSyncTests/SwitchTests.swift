import CloudKit
import NotesSync
import StratusTesting
import Testing

@Suite struct `The backup` {
  @Test
  func `a backup sends nothing while it is off, and sends all changes after it is switched on`()
    async throws
  {
    try await withHousehold { home in
      try await home.shareMilk()
      try await home.laptop.app.switchOff()
      try await home.laptop.app.write("Hello", as: "letter")
      try await home.phone.app.write("Nails", as: "tools")
      try await home.server.wait { await home.phone.app.overview.isBackedUp }
      await home.server.clock.advance(by: .seconds(3_600))
      try await home.laptop.relaunch()
      await home.laptop.app.settled()
      #expect(await home.laptop.texts == ["shopping": "Milk", "letter": "Hello"])
      #expect(await home.phone.texts == ["shopping": "Milk", "tools": "Nails"])

      try await home.laptop.app.switchOn()
      try await home.waitUntilBothShow(["shopping": "Milk", "letter": "Hello", "tools": "Nails"])
    }
  }

  @Test func `a backup is deleted completely, on the server and on the device`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      try await home.phone.app.write("Nails", as: "tools")
      try await home.phone.app.remove("tools")
      try await home.waitUntilBothShow(["shopping": "Milk"])
      try await home.phone.app.deleteEverything()
      try await home.server.wait { await home.phone.app.overview.activity == .off }
      #expect(await home.phone.texts == [:])
      #expect(home.phone.text(in: "shopping.txt") == nil)
      #expect(home.phone.text(in: "Deleted/tools.txt") == nil)

      // The other device keeps its notes and does not send them again.
      try await home.server.wait { await home.laptop.app.overview.activity == .off }
      #expect(await home.laptop.texts == ["shopping": "Milk"])
      let zones = try await home.laptop.device.container(NotesDevice.containerID)
        .privateCloudDatabase.allRecordZones()
      #expect(!zones.contains { $0.zoneID.zoneName == "NotesSync" })
    }
  }

  @Test
  func `deleting the backup without a network takes effect later, even after a relaunch`()
    async throws
  {
    try await withHousehold { home in
      try await home.shareMilk()
      home.phone.device.isOnline = false
      try await home.phone.app.deleteEverything()
      await home.phone.app.settled()
      #expect(await home.phone.app.overview.activity == .deleting)
      #expect(await home.phone.texts == ["shopping": "Milk"])
      try await home.phone.relaunch()
      home.phone.device.isOnline = true
      try await home.server.wait { await home.phone.app.overview.activity == .off }
      #expect(await home.phone.texts == [:])
    }
  }

  @Test func `a backup is not deleted if the user cancels the deletion in time`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      home.phone.device.isOnline = false
      try await home.phone.app.deleteEverything()
      await home.phone.app.settled()
      try await home.phone.app.switchOn()
      home.phone.device.isOnline = true
      try await home.phone.app.write("Nails", as: "tools")
      try await home.waitUntilBothShow(["shopping": "Milk", "tools": "Nails"])
    }
  }

  @Test func `a backup can start again after everything was deleted`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      home.laptop.device.isOnline = false
      try await home.phone.app.deleteEverything()
      try await home.server.wait { await home.phone.app.overview.activity == .off }
      try await home.phone.app.switchOn()
      try await home.phone.app.write("Nails", as: "tools")
      try await home.server.wait { await home.phone.app.overview.isBackedUp }
      // The laptop was offline during the deletion. The new backup does not contain the shopping
      // list.
      home.laptop.device.isOnline = true
      try await home.waitUntilBothShow(["tools": "Nails"])
      #expect(home.laptop.text(in: "Deleted/shopping.txt") == "Milk")
    }
  }

  @Test(arguments: ["", ".hidden", "_system", "a/b", "a\u{0}b", "e\u{301}"])
  func `a note with an invalid name is refused`(_ name: String) async throws {
    try await withHousehold { home in
      await #expect(throws: NoteFolder.BadName.self) {
        try await home.phone.app.write("text", as: name)
      }
    }
  }
}
