import CloudKit
import NotesSync
import StratusTesting
import Testing

@Suite struct `Server problems` {
  @Test func `after its tokens expire, the app fetches all notes again and finds the deletions`()
    async throws
  {
    try await withHousehold { home in
      try await home.shareMilk()
      try await home.phone.app.write("Nails", as: "tools")
      try await home.waitUntilBothShow(["shopping": "Milk", "tools": "Nails"])
      home.laptop.device.isOnline = false
      try await home.laptop.app.write("Hello", as: "letter")
      try await home.phone.app.remove("tools")
      try await home.phone.app.write("Bread", as: "shopping")
      try await home.server.wait { await home.phone.app.overview.isBackedUp }
      try home.server.expireChangeTokens()
      home.laptop.device.isOnline = true
      try await home.waitUntilBothShow(["shopping": "Bread", "letter": "Hello"])
    }
  }

  @Test func `the backup is switched off when the user deletes the zone`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      try await home.alice.purgeZone("NotesSync", in: NotesDevice.containerID)
      try await home.phone.app.write("Bread", as: "shopping")
      for device in [home.phone, home.laptop] {
        try await home.server.wait { await device.app.overview.activity == .off }
        #expect(await device.message == "The backup was deleted. The notes here stay.")
      }
      #expect(await home.phone.texts == ["shopping": "Bread"])
      #expect(await home.laptop.texts == ["shopping": "Milk"])

      try await home.laptop.app.switchOn()
      try await home.phone.app.switchOn()
      try await home.server.wait {
        let texts = await (home.phone.texts, home.laptop.texts)
        return texts.0 == texts.1 && texts.0["shopping"]?.contains("Bread") == true
      }
    }
  }

  @Test func `after a reset of the zone, the app sends its notes again`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      try await home.alice.resetEncryptedData(ofZone: "NotesSync", in: NotesDevice.containerID)
      try await home.phone.app.write("Nails", as: "tools")
      try await home.waitUntilBothShow(["shopping": "Milk", "tools": "Nails"])
    }
  }

  @Test
  func `a note stays on the device while the user's storage on the server is full`()
    async throws
  {
    try await withHousehold { home in
      try await home.shareMilk()
      home.alice.isStorageFull = true
      try await home.phone.app.write("Nails", as: "tools")
      try await home.server.wait {
        await home.phone.message == "The storage is full. Remove something, and look again."
      }
      #expect(await home.phone.texts == ["shopping": "Milk", "tools": "Nails"])
      try await home.phone.app.remove("shopping")
      try await home.wait(until: home.laptop, shows: [:])
      home.alice.isStorageFull = false
      try await home.waitUntilBothShow(["tools": "Nails"])
    }
  }

  @Test func `the app waits for the retry delay of a busy zone`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      home.phone.device.fail(next: .modifyRecords, with: .zoneBusy, retryAfterSeconds: 90)
      let before = home.server.clock.now
      try await home.phone.app.write("Bread", as: "shopping")
      await home.phone.app.settled()
      try await home.phone.app.write("Bread, butter", as: "shopping")
      try await home.waitUntilBothShow(["shopping": "Bread, butter"])
      #expect(before.duration(to: home.server.clock.now) >= .seconds(90))
    }
  }

  @Test func `a note that is too long does not delay other notes`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      let long = String(repeating: "x", count: 1_100_000)
      try await home.phone.app.write(long, as: "long")
      try await home.phone.app.write("Nails", as: "tools")
      try await home.wait(until: home.laptop, shows: ["shopping": "Milk", "tools": "Nails"])
      await home.phone.app.settled()
      let note = await home.phone.app.overview.notes.first { $0.name == "long" }
      #expect(note?.text == long)
      #expect(note?.status == .refused("That is too much at once."))

      try await home.phone.app.write("short", as: "long")
      try await home.waitUntilBothShow(["shopping": "Milk", "tools": "Nails", "long": "short"])
    }
  }

  @Test func `a file that is not text does not delay other notes`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      let bytes = Data([0xFF, 0xFE, 0x00])
      try bytes.write(to: home.laptop.file("tools.txt"))
      await home.laptop.app.lookAtFolder()
      await home.laptop.app.settled()
      #expect(await home.laptop.app.overview.misfits == ["tools"])
      #expect(await home.phone.texts == ["shopping": "Milk"])

      try await home.phone.app.write("Nails", as: "tools")
      try await home.waitUntilBothShow(["shopping": "Milk", "tools": "Nails"])
      #expect(try Data(contentsOf: home.laptop.file("tools.unreadable")) == bytes)

      try bytes.write(to: home.laptop.file("shopping.txt"))
      try await home.phone.app.remove("tools")
      try await home.wait(until: home.laptop, shows: [:])
      try await home.laptop.app.write("Hello", as: "letter")
      try await home.wait(until: home.phone, shows: ["shopping": "Milk", "letter": "Hello"])
    }
  }

  @Test(arguments: [CKError.Code.limitExceeded, .serverRejectedRequest])
  func `after the server has refused a request, the app sends requests with fewer notes`(
    _ code: CKError.Code
  ) async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      var all = ["shopping": "Milk"]
      for number in 0..<20 {
        all["note \(number)"] = "Text \(number)"
        try Data("Text \(number)".utf8).write(to: home.phone.file("note \(number).txt"))
      }
      home.phone.device.fail(next: .modifyRecords, with: code, times: 30)
      await home.phone.app.look()
      await home.phone.app.settled()
      #expect(await home.phone.texts == all)
      try await home.waitUntilBothShow(all)
      #expect(home.phone.device.pendingFaultsCount == 0)
    }
  }

  @Test func `a temporary outage delays the app but loses no note`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      home.server.isAvailable = false
      try await home.phone.app.write("Bread", as: "shopping")
      try await home.server.wait { await home.phone.message == "The server is not available." }
      home.server.isAvailable = true
      try await home.waitUntilBothShow(["shopping": "Bread"])
    }
  }
}
