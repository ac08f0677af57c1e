import Foundation
import StratusTransport
import StratusWire
import Synchronization
import Testing

@testable import StratusKit

/// Work that begins for one user while another user signs in.
@Suite struct `A switch of accounts` {
  private static let otherName = "_fedcba9876543210fedcba9876543210"

  /// Makes the server answer requests for the current user. Runs a closure before the first answer.
  private static func onFirstCaller(
    _ server: FakeServer, _ body: @escaping @Sendable () -> Void
  ) {
    let count = Mutex(0)
    server.on(FetchCaller.self) { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == 1 { body() }
      return FetchCaller.Response(
        user: UserIdentity(
          userRecordName: number == 1 ? FakeServer.userName : otherName))
    }
  }

  private static func database(_ server: FakeServer) {
    server.on(FetchDatabaseChanges.self) { _ in
      FetchDatabaseChanges.Response(zones: [], syncToken: "T", moreComing: false)
    }
  }

  @Test func `an operation of one user is not sent after another user signs in`() async throws {
    let server = FakeServer()
    let container = server.container()
    Self.onFirstCaller(server) { container.signIn(webAuthToken: "other") }
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
    await #expect { try await container.privateCloudDatabase.save(record) } throws: {
      code($0) == .notAuthenticated
    }
    #expect(server.calls.isEmpty)
  }

  @Test func `requests of an earlier sign-in fail and do not get the new user's name`()
    async throws
  {
    let server = FakeServer()
    let container = server.container()
    let path = container.path
    let before = Connection.Options(generation: path.connection?.generation)
    #expect(try await path.naming(options: before).currentUserRecordName == FakeServer.userName)
    container.signIn(webAuthToken: "other")
    server.on(FetchCaller.self) { _ in
      FetchCaller.Response(user: UserIdentity(userRecordName: Self.otherName))
    }
    #expect(
      try await path.naming(options: Connection.Options()).currentUserRecordName == Self.otherName)
    await #expect { try await path.naming(options: before) } throws: {
      code($0) == .notAuthenticated
    }
    container.signOut()
    await #expect { try await path.naming(options: before) } throws: {
      code($0) == .notAuthenticated
    }
  }

  @Test func `a sign-out stops the retries of a request`() async throws {
    let server = FakeServer()
    let container = server.container()
    server.onRaw(FetchDatabaseChanges.path) { (_) async throws(NetworkFailure) in
      container.signOut()
      return HTTPResponse(
        status: 503, body: refusal(.tryAgainLater, Reason.storeBusy).jsonBytes)
    }
    await #expect {
      try await container.privateCloudDatabase.databaseChanges(since: nil)
    } throws: {
      code($0) == .notAuthenticated
    }
    #expect(server.calls.count == 1)
  }

  @Test
  func `a sync engine's requests fail until the engine has read the new account`() async throws {
    let server = FakeServer()
    let container = server.container()
    let surroundings = SyncSurroundings(of: container.privateCloudDatabase)
    let told = Journal()
    let changes = surroundings.accounts.changes()
    let listening = Task { for await _ in changes { told.note("changed") } }
    defer { listening.cancel() }
    Self.database(server)
    func ask() async throws {
      _ = try await surroundings.calls.databaseChanges(since: nil, group: CKOperationGroup())
    }
    #expect(try await surroundings.accounts.currentUserRecordName() == FakeServer.userName)
    try await ask()
    #expect(server.calls.count == 1)

    server.on(FetchCaller.self) { _ in
      FetchCaller.Response(user: UserIdentity(userRecordName: Self.otherName))
    }
    container.signIn(webAuthToken: "other")
    await #expect { try await ask() } throws: { code($0) == .notAuthenticated }
    #expect(server.calls.count == 1)
    #expect(
      await eventually { !told.all.isEmpty },
      "the engine must receive the account changes of the container")
    #expect(try await surroundings.accounts.currentUserRecordName() == Self.otherName)
    try await ask()
    #expect(server.calls.count == 2)

    container.signOut()
    await #expect { try await ask() } throws: { code($0) == .notAuthenticated }
    #expect(try await surroundings.accounts.currentUserRecordName() == nil)
  }

  @Test func `a sync engine's account check during a switch of users returns the new user`()
    async throws
  {
    let server = FakeServer()
    let container = server.container()
    Self.onFirstCaller(server) { container.signIn(webAuthToken: "other") }
    Self.database(server)
    let surroundings = SyncSurroundings(of: container.privateCloudDatabase)
    #expect(try await surroundings.accounts.currentUserRecordName() == Self.otherName)
    _ = try await surroundings.calls.databaseChanges(since: nil, group: CKOperationGroup())
    #expect(server.calls.count == 1)
  }
}
