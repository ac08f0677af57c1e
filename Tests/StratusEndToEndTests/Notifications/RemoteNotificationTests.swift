import CloudKit
import Testing

/// Other devices receive the notifications of a change. The devices use the framework over sockets.
@Suite(.timeLimit(.minutes(15))) struct `Remote notifications` {
  @Test
  func `notifications of every kind of subscription reach the devices that did not write`()
    async throws
  {
    try await SocketServer.running { server in
      let (phone, tablet) = (try server.device("phone"), try server.device("tablet"))
      let notes = tablet.privateCloudDatabase
      try await notes.watchNotes()
      let prober = try await Prober(server.device("other"))
      let onPhone = Listening(on: phone, until: "end")
      let onTablet = Listening(on: tablet, until: "end")
      try await prober.wait(for: onPhone, onTablet)
      try await notes.save(note("a"))
      try await prober.device.privateCloudDatabase.save(note("end"))
      let ofA = [
        "D database private", "Q query private recordCreated a in Z", "Z zone private Z",
      ]
      let ofEnd = "Q query private recordCreated end in Z"
      #expect(await onPhone.result().prefix(3).map(\.words).sorted() == ofA)
      let heard = await onTablet.result().map(\.words)
      #expect(heard.contains(ofEnd))
      #expect(!heard.contains(ofA[1]), "it wrote that itself")
      #expect(heard.count <= 3, "\(heard)")
    }
  }

  @Test func `notifications wait for a device that was offline`() async throws {
    try await SocketServer.running { server in
      let phone = try server.device("phone")
      let notes = try server.device("tablet").privateCloudDatabase
      try await notes.watchNotes()
      let prober = try await Prober(server.device("other"))
      let before = Listening(on: phone, until: "never")
      try await prober.wait(for: before)
      await before.stop()
      for name in ["a", "b", "c"] { try await notes.save(note(name)) }
      let after = await Listening(on: phone, until: "c").result()
      #expect(after.compactMap(\.noteName) == ["a", "b", "c"])
    }
  }

  @Test func `notifications contain the values that the subscription requests`() async throws {
    try await SocketServer.running { server in
      let phone = try server.device("phone")
      let notes = try server.device("tablet").privateCloudDatabase
      try await notes.watchNotes()
      let prober = try await Prober(server.device("other"))
      let listening = Listening(on: phone, until: "a")
      try await prober.wait(for: listening)
      let me = try await phone.userRecordID()
      try await notes.save(note("a"))
      let query = try #require(await listening.result().last as? CKQueryNotification)
      #expect(query.notificationType == .query)
      #expect(query.recordID == id("a"))
      #expect(query.alertBody == "new")
      #expect(query.badge == 1)
      #expect(query.containerIdentifier == Cloud.containerID)
      #expect(query.subscriptionOwnerUserRecordID == me)
      #expect(!query.isPruned)
    }
  }
}
