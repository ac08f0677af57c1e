import Foundation
import StratusTransport
import StratusWire
import Testing

@testable import StratusKit

@Suite struct `A container` {
  @Test func `a container has one object for each database`() {
    let container = FakeServer().container()
    let database = container.privateCloudDatabase
    #expect(database === container.database(with: .private))
    #expect(database === container.privateCloudDatabase)
    #expect(container.publicCloudDatabase.databaseScope == .public)
    #expect(container.sharedCloudDatabase.databaseScope == .shared)
  }

  @Test func `a container stays alive while one of its databases is in use`() {
    let database = FakeServer().container().privateCloudDatabase
    #expect(database.container.containerIdentifier == "iCloud.org.example.App")
  }

  @Test func `the default container is the same object each time`() {
    #expect(CKContainer.default() === CKContainer.default())
  }

  @Test
  func `an operation that names no database runs on the private database of its container`() async {
    let server = FakeServer()
    server.on(ListZones.self) { _ in ListZones.Response(zones: []) }
    let operation = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
    await withCheckedContinuation { continuation in
      operation.completionBlock = { continuation.resume() }
      server.container().add(operation)
    }
    #expect(server.calls.map(\.path) == ["private/zones/list"])
  }

  @Test
  func `configuredWith configures new container and database objects, not the receiver`() async {
    let container = FakeServer().container()
    let group = CKOperationGroup()
    let isOther = container.configuredWith(group: group) { $0 !== container }
    #expect(isOther)
    container.privateCloudDatabase.configuredWith(group: group) { database in
      #expect(database !== container.privateCloudDatabase)
      #expect(database.databaseScope == .private)
      let operation = CKFetchRecordsOperation(recordIDs: [])
      database.add(operation)
      #expect(operation.group === group)
    }
  }

  @Test func `a container has an account when the server accepts the token`() async throws {
    #expect(try await FakeServer().container().accountStatus() == .available)
  }

  @Test func `a container without a token has no account`() async throws {
    let server = FakeServer()
    let container = server.container(webAuthToken: nil)
    #expect(try await container.accountStatus() == .noAccount)
    #expect(server.callerCalls == 0)
    await #expect { try await container.userRecordID() } throws: { code($0) == .notAuthenticated }
  }

  @Test func `a container has no account when the server refuses the token`() async throws {
    let server = FakeServer()
    server.on(FetchCaller.self) { _ in throw refusal(.authenticationFailed) }
    #expect(try await server.container().accountStatus() == .noAccount)
  }

  @Test func `a container cannot determine its account without the server`() async throws {
    let server = FakeServer()
    server.onRaw(FetchCaller.path) { (_) async throws(NetworkFailure) in
      throw .lostBeforeSending
    }
    let container = server.container()
    #expect(try await container.accountStatus() == .couldNotDetermine)
    let error = await withCheckedContinuation { continuation in
      container.accountStatus { _, error in continuation.resume(returning: code(error)) }
    }
    #expect(error == .networkFailure)
  }

  @Test func `a container returns the ID of the user's record`() async throws {
    let container = FakeServer().container()
    #expect(try await container.userRecordID().recordName == FakeServer.userName)
    let name = await withCheckedContinuation { continuation in
      container.fetchUserRecordID { id, _ in continuation.resume(returning: id?.recordName) }
    }
    #expect(name == FakeServer.userName)
  }
}
