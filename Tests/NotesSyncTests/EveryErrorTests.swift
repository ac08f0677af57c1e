import CloudKit
import NotesSync
import StratusTesting
import Testing

/// The server returns each error to each kind of request. The app loses no note. If an error
/// switches its backup off, the backup continues when it is switched on again.
@Suite struct `Each of the 37 errors` {
  @Test(arguments: CKError.Code.allCases)
  func `a running app loses no note, whatever error the server returns`(_ code: CKError.Code)
    async throws
  {
    try await withHousehold { home in
      try await home.shareMilk()
      let requests: [TestRequests] = [
        .modifyRecords, .modifyRecords.of("note 1"), .databaseChanges, .recordZoneChanges,
      ]
      var written: [String: String] = ["shopping": "Milk"]
      for (number, requests) in requests.enumerated() {
        home.phone.device.fail(next: requests, with: code)
        written["note \(number)"] = "Phone \(number)"
        written["answer \(number)"] = "Laptop \(number)"
        try await home.phone.app.write("Phone \(number)", as: "note \(number)")
        try await home.laptop.app.write("Laptop \(number)", as: "answer \(number)")
        try await goOn(home, until: written)
        #expect(home.phone.device.pendingFaultsCount == 0)
      }
      try await home.laptop.app.remove("shopping")
      written["shopping"] = nil
      try await goOn(home, until: written)
    }
  }

  @Test(arguments: CKError.Code.allCases)
  func `the first start of the app loses no note, whatever error the server returns`(
    _ code: CKError.Code
  ) async throws {
    try await withHousehold { home in
      let requests: [TestRequests] = [
        .account, .modifyZones, .modifySubscriptions, .databaseChanges, .recordZoneChanges,
      ]
      for requests in requests { home.phone.device.fail(next: requests, with: code) }
      try Data("Milk".utf8).write(to: home.phone.file("shopping.txt"))
      await home.start()
      try await goOn(home, until: ["shopping": "Milk"])
      #expect(home.phone.device.pendingFaultsCount == 0)
    }
  }

  /// Waits until both devices have all notes. If an error has switched the backup of a device off,
  /// switches the backup on again.
  private func goOn(_ home: Household, until texts: [String: String]) async throws {
    try await home.server.wait(upTo: .seconds(7_200)) {
      var areInStep = true
      for device in [home.phone, home.laptop] {
        let overview = await device.app.overview
        if overview.activity == .off {
          #expect(overview.message != nil)
          try await device.app.switchOn()
        }
        areInStep = areInStep && overview.isBackedUp && overview.texts == texts
      }
      return areInStep
    }
  }
}
