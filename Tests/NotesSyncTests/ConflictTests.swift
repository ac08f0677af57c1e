import CloudKit
import StratusTesting
import Testing

@testable import NotesSync

@Suite struct `A note that two devices change` {
  @Test func `a note that two devices change has both texts on both devices`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      home.laptop.device.isOnline = false
      try await home.phone.app.write("Bread", as: "shopping")
      try await home.server.wait { await home.phone.app.overview.isBackedUp }
      try await home.laptop.app.write("Apples", as: "shopping")
      home.laptop.device.isOnline = true
      let both = "Bread\n\n(also written on another device:)\nApples"
      try await home.waitUntilBothShow(["shopping": both])
      #expect(await home.laptop.app.overview.notice?.contains("Two devices changed") == true)
    }
  }

  @Test
  func `a note has both texts if the other device's text arrives during a save`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      home.laptop.device.disturb(next: .modifyRecords, by: .isLate(by: .seconds(20)))
      let requests = home.laptop.device.requestsCount(.modifyRecords)
      try await home.laptop.app.write("Apples", as: "shopping")
      try await home.server.wait(upTo: .zero) {
        home.laptop.device.requestsCount(.modifyRecords) > requests
      }
      try await home.phone.app.write("Bread", as: "shopping")
      await home.phone.app.settled()
      let both = "Bread\n\n(also written on another device:)\nApples"
      try await home.waitUntilBothShow(["shopping": both])
    }
  }

  @Test func `a note that two devices create has both texts`() async throws {
    try await withHousehold { home in
      await home.start()
      try await home.server.wait { await home.laptop.app.overview.isBackedUp }
      home.laptop.device.isOnline = false
      try await home.phone.app.write("Bread", as: "shopping")
      try await home.laptop.app.write("Apples", as: "shopping")
      try await home.server.wait { await home.phone.app.overview.isBackedUp }
      home.laptop.device.isOnline = true
      let both = "Bread\n\n(also written on another device:)\nApples"
      try await home.waitUntilBothShow(["shopping": both])
    }
  }

  @Test func `a note that one device deletes and another device changes is kept`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      home.laptop.device.isOnline = false
      try await home.laptop.app.remove("shopping")
      try await home.phone.app.write("Milk, eggs", as: "shopping")
      try await home.server.wait { await home.phone.app.overview.isBackedUp }
      home.laptop.device.isOnline = true
      try await home.waitUntilBothShow(["shopping": "Milk, eggs"])
    }
  }

  @Test func `a save whose answer was lost does not cause a conflict`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      home.phone.device.disturb(next: .modifyRecords, by: .losesResponse)
      try await home.phone.app.write("Bread", as: "shopping")
      try await home.waitUntilBothShow(["shopping": "Bread"])
      #expect(home.phone.device.pendingFaultsCount == 0)
    }
  }

  @Test
  func `a change that follows a save with a lost answer does not cause a conflict`() async throws {
    try await withHousehold { home in
      try await home.shareMilk()
      // The phone does not retry before the note changes.
      home.server.clock.jumpMax = .zero
      home.phone.device.disturb(next: .modifyRecords, by: .losesResponse)
      try await home.phone.app.write("Bread", as: "shopping")
      await home.phone.app.settled()
      #expect(home.phone.device.pendingFaultsCount == 0)
      home.phone.device.isOnline = false
      try await home.phone.app.write("Bread, butter", as: "shopping")
      try await home.phone.relaunch()
      home.phone.device.isOnline = true
      try await home.waitUntilBothShow(["shopping": "Bread, butter"])
    }
  }
}

@Suite struct `The merge rule` {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let mine: String?, theirs: String?, before: String?
    var sent: String?
    let result: String?
  }

  static let cases = [
    Case(
      testDescription: "only here", mine: "new", theirs: "old", before: "old", result: "new"),
    Case(
      testDescription: "only there", mine: "old", theirs: "new", before: "old", result: "new"),
    Case(
      testDescription: "the same change on both", mine: "new", theirs: "new", before: "old",
      result: "new"),
    Case(
      testDescription: "another change on each", mine: "b", theirs: "a", before: "old",
      result: "a" + MergeRule.seam + "b"),
    Case(
      testDescription: "created on both", mine: "b", theirs: "a", before: nil,
      result: "a" + MergeRule.seam + "b"),
    Case(
      testDescription: "removed here", mine: nil, theirs: "old", before: "old", result: nil),
    Case(
      testDescription: "removed there", mine: "old", theirs: nil, before: "old", result: nil),
    Case(
      testDescription: "removed here, changed there", mine: nil, theirs: "new", before: "old",
      result: "new"),
    Case(
      testDescription: "changed here, removed there", mine: "new", theirs: nil, before: "old",
      result: "new"),
    Case(testDescription: "begun here", mine: "new", theirs: nil, before: nil, result: "new"),
    Case(testDescription: "begun there", mine: nil, theirs: "new", before: nil, result: "new"),
    Case(
      testDescription: "sent, then changed again", mine: "newer", theirs: "new", before: "old",
      sent: "new", result: "newer"),
    Case(
      testDescription: "sent, then removed", mine: nil, theirs: "new", before: nil,
      sent: "new", result: nil),
  ]

  @Test(arguments: cases)
  func `the merge rule compares both notes with their common ancestor`(_ row: Case) {
    let known =
      row.before == nil && row.sent == nil
      ? nil : BackupState.Known(record: nil, text: row.before, sent: row.sent)
    #expect(MergeRule.merge(mine: row.mine, theirs: row.theirs, known: known) == row.result)
  }
}
