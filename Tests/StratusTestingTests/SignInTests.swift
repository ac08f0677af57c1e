import CloudKit
import Foundation
import StratusTesting
import Synchronization
import Testing

/// The account statuses that an app has read.
private final class Found: Sendable {
  private let statuses = Mutex<[CKAccountStatus]>([])

  var last: CKAccountStatus? { statuses.withLock(\.last) }
  func note(_ status: CKAccountStatus) { statuses.withLock { $0.append(status) } }
}

/// Runs an app that reads its account status after each account notification and does nothing else.
private func withApp(
  on container: CKContainer, _ body: (Found) async throws -> Void
) async throws {
  let found = Found()
  let (told, continuation) = AsyncStream.makeStream(of: Void.self)
  let observer = NotificationCenter.default.addObserver(
    forName: .CKAccountChanged, object: nil, queue: nil
  ) { _ in continuation.yield() }
  let task = Task {
    for await _ in told {
      if let status = try? await container.accountStatus() { found.note(status) }
    }
  }
  defer {
    NotificationCenter.default.removeObserver(observer)
    task.cancel()
  }
  try await body(found)
}

@Suite struct `An app that reads its account only after a notification` {
  @Test
  func `an app gets a notification when its account is restricted and when it is available again`()
    async throws
  {
    try await withStage { stage in
      try await withApp(on: stage.phone.container(Stage.containerID)) { found in
        stage.alice.isRestricted = true
        try await stage.server.wait { found.last == .restricted }
        stage.alice.isRestricted = false
        try await stage.server.wait { found.last == .available }
      }
    }
  }

  @Test
  func `an app gets a notification when a sign-in is needed and when the sign-in is done`()
    async throws
  {
    try await withStage { stage in
      try await withApp(on: stage.phone.container(Stage.containerID)) { found in
        stage.alice.isTemporarilyUnavailable = true
        try await stage.server.wait { found.last == .temporarilyUnavailable }
        stage.alice.isTemporarilyUnavailable = false
        try await stage.server.wait { found.last == .available }
      }
    }
  }

  @Test
  func `an app gets a notification when the server accepts the account after many refusals`()
    async throws
  {
    try await withStage { stage in
      let container = stage.phone.container(Stage.containerID)
      stage.phone.fail(next: .account, with: .accountTemporarilyUnavailable, times: 8)
      try await withApp(on: container) { found in
        #expect(try await container.accountStatus() == .temporarilyUnavailable)
        try await stage.server.wait { found.last == .available }
        #expect(stage.phone.pendingFaultsCount == 0)
      }
    }
  }
}

@Suite struct `A user who signs in on a running device` {
  @Test
  func `values of a user who signs in on a running device are readable on the user's other device`()
    async throws
  {
    try await withStage { stage in
      let bob = try await stage.server.account("bob@example.com")
      for account in [bob, stage.alice] {
        stage.phone.signIn(account)
        try await stage.database.save(CKRecordZone(zoneID: Stage.zoneID))
        let note = Stage.note("secret")
        note.encryptedValues["mood"] = account.email
        try await stage.database.save(note)
        let other = account.device("other").container(Stage.containerID).privateCloudDatabase
        let found = try await other.record(for: Stage.recordID("secret"))
        #expect(found.encryptedValues["mood"] == account.email)
      }
    }
  }
}
