import CloudKit
import NotesSync
import StratusTesting
import Testing

/// The interval between polls is longer than any test, so a change arrives only after a push.
private let pushesOnly: Backup.Settings = {
  var settings = Backup.Settings()
  settings.lookInterval = .seconds(86_400)
  return settings
}()

@Suite struct `Two devices` {
  @Test func `two devices show each other's notes`() async throws {
    try await withHousehold(pushesOnly) { home in
      await home.start()
      try await home.phone.app.write("Milk", as: "shopping")
      try await home.wait(until: home.laptop, shows: ["shopping": "Milk"])
      try await home.laptop.app.write("Milk, eggs", as: "shopping")
      try await home.wait(until: home.phone, shows: ["shopping": "Milk, eggs"])
    }
  }

  @Test
  func `a device stores notes in files, and sends changes made by another program`() async throws {
    try await withHousehold(pushesOnly) { home in
      try await home.shareMilk()
      #expect(home.laptop.text(in: "shopping.txt") == "Milk")
      try Data("Bread".utf8).write(to: home.laptop.file("shopping.txt"))
      await home.laptop.app.lookAtFolder()
      try await home.waitUntilBothShow(["shopping": "Bread"])
    }
  }

  @Test func `a note that another device removes is moved to the folder Deleted`() async throws {
    try await withHousehold(pushesOnly) { home in
      try await home.shareMilk()
      try await home.phone.app.remove("shopping")
      try await home.waitUntilBothShow([:])
      #expect(home.laptop.text(in: "Deleted/shopping.txt") == "Milk")
    }
  }

  @Test func `devices without pushes get changes with a delay`() async throws {
    var settings = Backup.Settings()
    settings.hearsPushes = false
    try await withHousehold(settings) { home in
      try await home.shareMilk()
      let before = home.server.clock.now
      try await home.phone.app.write("Bread", as: "shopping")
      try await home.waitUntilBothShow(["shopping": "Bread"])
      #expect(before.duration(to: home.server.clock.now) <= settings.lookInterval)
      #expect(home.laptop.device.requestsCount(.notifications) == 0)
      #expect(home.laptop.device.requestsCount(.modifySubscriptions) == 0)
    }
  }

  @Test func `the next poll finds a change whose push was not delivered`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      home.laptop.device.dropNotifications(next: 100)
      try await home.phone.app.write("Bread", as: "shopping")
      try await home.waitUntilBothShow(["shopping": "Bread"])
    }
  }

  @Test func `a push that arrives twice does no harm`() async throws {
    try await withHousehold(pushesOnly) { home in
      try await home.shareMilk()
      home.laptop.device.duplicateNotifications()
      try await home.phone.app.write("Bread", as: "shopping")
      try await home.waitUntilBothShow(["shopping": "Bread"])
    }
  }

  @Test func `notes that were written without a network are sent later`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      home.phone.device.isOnline = false
      try await home.phone.app.write("Bread", as: "shopping")
      try await home.server.wait { await home.phone.message == "There is no network." }
      #expect(await home.laptop.texts == ["shopping": "Milk"])
      home.phone.device.isOnline = true
      try await home.waitUntilBothShow(["shopping": "Bread"])
    }
  }
}

@Suite struct `A start of the app` {
  @Test func `the first start fetches all notes and keeps existing notes`() async throws {
    try await withHousehold { home in
      await home.phone.app.start()
      for number in 1...120 {
        try await home.phone.app.write("Text \(number)", as: "note \(number)")
      }
      try Data("Mine".utf8).write(to: home.laptop.file("old.txt"))
      await home.laptop.app.start()
      var all = Dictionary(
        uniqueKeysWithValues: (1...120).map { ("note \($0)", "Text \($0)") })
      all["old"] = "Mine"
      try await home.waitUntilBothShow(all)
    }
  }

  @Test
  func `a later start fetches the changes since the last run and does not repeat the setup`()
    async throws
  {
    try await withHousehold { home in
      try await home.shareMilk()
      await home.laptop.app.stop()
      let zones = home.laptop.device.requestsCount(.modifyZones)
      let subscriptions = home.laptop.device.requestsCount(.modifySubscriptions)
      try await home.phone.app.write("Nails", as: "tools")
      try await home.phone.app.remove("shopping")
      try await home.wait(until: home.phone, shows: ["tools": "Nails"])
      try Data("Hello".utf8).write(to: home.laptop.file("letter.txt"))
      try await home.laptop.relaunch()
      try await home.waitUntilBothShow(["tools": "Nails", "letter": "Hello"])
      #expect(home.laptop.device.requestsCount(.modifyZones) == zones)
      #expect(home.laptop.device.requestsCount(.modifySubscriptions) == subscriptions)
    }
  }

  @Test func `a start with a damaged state file loses no note`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      await home.phone.app.stop()
      try Data("{".utf8).write(to: home.phone.file(".notes-sync.json"))
      try Data("Hello".utf8).write(to: home.phone.file("letter.txt"))
      try await home.phone.relaunch()
      try await home.waitUntilBothShow(["shopping": "Milk", "letter": "Hello"])
    }
  }
}
