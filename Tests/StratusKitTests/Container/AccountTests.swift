import EventScripts
import Foundation
import StratusTransport
import StratusWire
import Synchronization
import Testing

@testable import StratusKit

@Suite struct `An account` {
  private static func refuse(_ server: FakeServer, _ reason: String) {
    server.onRaw(FetchCaller.path) { (_) async throws(NetworkFailure) in
      HTTPResponse(
        status: 401, body: refusal(.authenticationFailed, reason).jsonBytes)
    }
  }

  private static func accept(_ server: FakeServer, _ name: String = FakeServer.userName) {
    server.on(FetchCaller.self) { _ in
      FetchCaller.Response(user: UserIdentity(userRecordName: name))
    }
  }

  @Test(arguments: [
    (Reason.accountDisabled, CKAccountStatus.restricted, CKError.Code.managedAccountRestricted),
    (Reason.sessionEnded, .temporarilyUnavailable, .accountTemporarilyUnavailable),
    (Reason.authenticationFailed, .noAccount, .notAuthenticated),
  ])
  func `the account status matches the server's reason for a refusal`(
    reason: String, status: CKAccountStatus, errorCode: CKError.Code
  ) async throws {
    let server = FakeServer()
    Self.refuse(server, reason)
    let container = server.container()
    #expect(try await container.accountStatus() == status)
    await #expect { try await container.userRecordID() } throws: { code($0) == errorCode }
  }

  @Test func `the account status shows a missing user and a network failure`() async throws {
    let server = FakeServer()
    #expect(try await server.container().accountStatus() == .available)
    #expect(try await server.container(webAuthToken: nil).accountStatus() == .noAccount)
    server.onRaw(FetchCaller.path) { (_) async throws(NetworkFailure) in throw .notConnected }
    #expect(try await server.container().accountStatus() == .couldNotDetermine)
  }

  /// Counts the account change notifications of a container.
  private static func changes(_ container: CKContainer) -> (count: Mutexed, task: Task<Void, Never>)
  {
    let count = Mutexed()
    let changes = container.path.account.changes()
    let task = Task { for await _ in changes { count.add() } }
    return (count, task)
  }

  final class Mutexed: Sendable {
    private let value = Mutex(0)
    func add() { value.withLock { $0 += 1 } }
    var now: Int { value.withLock { $0 } }
  }

  @Test func `an account posts one notification for each change of its status`()
    async throws
  {
    let server = FakeServer()
    let container = server.container()
    let (count, task) = Self.changes(container)
    defer { task.cancel() }
    #expect(try await container.accountStatus() == .available)
    Self.refuse(server, Reason.sessionEnded)
    for _ in 0..<3 { _ = try await container.accountStatus() }
    #expect(await eventually { count.now == 1 })
    Self.refuse(server, Reason.accountDisabled)
    _ = try await container.accountStatus()
    #expect(await eventually { count.now == 2 })
    Self.accept(server)
    for _ in 0..<3 { _ = try await container.accountStatus() }
    #expect(await eventually { count.now == 3 })
    #expect(count.now == 3)
  }

  /// A container that waits with the closure `sleep`.
  private static func container(
    _ server: FakeServer, sleep: @escaping @Sendable (Double) async throws -> Void
  ) -> CKContainer {
    CKContainer(
      identifier: "iCloud.org.example.App",
      settings: CKContainer.Settings(
        url: URL(string: "https://cloud.example.org"), apiToken: "api", webAuthToken: "web"),
      exchange: server, timing: Timing(now: { 0 }, sleep: sleep, chance: { 1 }))
  }

  /// Returns a closure that waits until its task is cancelled. The journal records when the wait
  /// begins and ends.
  private static func untilCancelled(
    _ journal: Journal
  ) -> @Sendable (Double) async throws -> Void {
    let never = Handoff<Void>()
    return { _ in
      journal.note("begins")
      _ = await never.take()
      journal.note("ends")
      throw CancellationError()
    }
  }

  @Test func `a refused account is polled at growing intervals until the server accepts it`()
    async throws
  {
    let (server, waits) = (FakeServer(), Journal())
    let container = Self.container(server) { seconds in
      waits.note("\(seconds)")
      await Task.yield()
    }
    let (count, task) = Self.changes(container)
    defer { task.cancel() }
    Self.refuse(server, Reason.sessionEnded)
    #expect(try await container.accountStatus() == .temporarilyUnavailable)
    #expect(await eventually { count.now == 1 && waits.all.count >= 9 })
    // The app waits for the notification and sends no request, as Apple's documentation advises.
    Self.accept(server)
    #expect(await eventually { count.now == 2 })
    let asked = server.callerCalls
    #expect(waits.all.prefix(9).map(Double.init) == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    #expect(waits.all.count == asked - 1)
    for _ in 0..<100 { await Task.yield() }
    #expect(server.callerCalls == asked)
  }

  @Test func `a refused account is not polled earlier than the server allows`() async throws {
    let (server, waits) = (FakeServer(), Journal())
    let container = Self.container(server) { seconds in
      waits.note("\(seconds)")
      throw CancellationError()
    }
    server.onRaw(FetchCaller.path) { (_) async throws(NetworkFailure) in
      let error = refusal(.authenticationFailed, Reason.sessionEnded, retryAfter: 120)
      return HTTPResponse(status: 401, body: error.jsonBytes)
    }
    _ = try await container.accountStatus()
    #expect(await eventually { waits.all == ["120.0"] })
  }

  @Test
  func `a refused account is no longer polled once another user has signed in`() async throws {
    let (server, waits) = (FakeServer(), Journal())
    let container = Self.container(server, sleep: Self.untilCancelled(waits))
    Self.refuse(server, Reason.sessionEnded)
    _ = try await container.accountStatus()
    #expect(await eventually { waits.all == ["begins"] })
    container.signIn(webAuthToken: "other")
    #expect(await eventually { waits.all == ["begins", "ends"] })
    #expect(server.callerCalls == 1)
  }

  @Test func `the polling of a refused account does not keep its container alive`() async throws {
    let (server, waits) = (FakeServer(), Journal())
    Self.refuse(server, Reason.sessionEnded)
    weak var path: RequestPath?
    do {
      let container = Self.container(server, sleep: Self.untilCancelled(waits))
      path = container.path
      _ = try await container.accountStatus()
      #expect(await eventually { waits.all == ["begins"] })
    }
    #expect(await eventually { path == nil && waits.all == ["begins", "ends"] })
  }

  @Test func `a change of the account posts a notification to the app`() async throws {
    let server = FakeServer()
    let container = server.container()
    let count = Mutexed()
    let observer = NotificationCenter.default.addObserver(
      forName: .CKAccountChanged, object: nil, queue: nil
    ) { _ in count.add() }
    defer { NotificationCenter.default.removeObserver(observer) }
    #expect(Notification.Name.CKAccountChanged.rawValue == "CKAccountChangedNotification")
    container.signOut()
    #expect(count.now > 0)
  }

  @Test func `after a switch of users, the account belongs to the new user`() async throws {
    let server = FakeServer()
    let container = server.container()
    let first = try await container.userRecordID().recordName
    Self.accept(server, "_other")
    let (count, task) = Self.changes(container)
    defer { task.cancel() }
    container.signIn(webAuthToken: "other")
    #expect(await eventually { count.now == 1 })
    #expect(container.path.knownNaming == nil)
    #expect(try await container.userRecordID().recordName == "_other")
    #expect(first != "_other")
    container.signOut()
    #expect(try await container.accountStatus() == .noAccount)
    #expect(try await ServerAccountFeed(path: container.path).currentUserRecordName() == nil)
    #expect(await eventually { count.now == 2 })
  }
}

@Suite struct `The credentials file` {
  private let file = FileManager.default.temporaryDirectory
    .appendingPathComponent("stratus-test-\(UUID().uuidString)/credentials.json")

  private func write(_ token: String?, url: String = "https://cloud.example.org") throws {
    try CredentialsFile.write(
      ServerSettings(url: URL(string: url), apiToken: "api", webAuthToken: token), to: file)
  }

  /// A container whose user comes from the file, and the watch that observes the file.
  private func scene(
    _ server: FakeServer
  ) throws -> (container: CKContainer, watch: CredentialsWatch) {
    let watch = CredentialsWatch(
      file: file, timing: Timing(now: { 0 }, sleep: { _ in }, chance: { 0 }))
    let token = CredentialsFile.read(at: file)?.webAuthToken
    let container = server.container(webAuthToken: token)
    #expect(container.path.follow(watch, ServerSettings()))
    return (container, watch)
  }

  private func clean() {
    try? FileManager.default.removeItem(at: file.deletingLastPathComponent())
  }

  @Test func `the credentials file signs users in and out while the program runs`() async throws {
    defer { clean() }
    let server = FakeServer()
    try write("one")
    let (container, watch) = try scene(server)
    let digest = container.path.connection?.accountDigest
    watch.look()
    #expect(container.path.connection?.accountDigest == digest)
    #expect(container.path.connection?.generation == 0)
    try write("two")
    watch.look()
    #expect(container.path.connection?.accountDigest != digest)
    #expect(container.path.connection?.generation == 1)
    watch.look()
    #expect(container.path.connection?.generation == 1)
    try FileManager.default.removeItem(at: file)
    watch.look()
    #expect(try await container.accountStatus() == .noAccount)
    try write("one")
    watch.look()
    #expect(container.path.connection?.accountDigest == digest)
  }

  @Test
  func `a newer token of a sign-in is stored in the credentials file without an account change`()
    async throws
  {
    defer { clean() }
    let server = FakeServer()
    try write("one")
    let (container, watch) = try scene(server)
    server.onRaw(FetchCaller.path) { (_) async throws(NetworkFailure) in
      HTTPResponse(
        status: 200, headers: ["x-apple-cloudkit-web-auth-token": "two"],
        body: FetchCaller.Response(user: UserIdentity(userRecordName: FakeServer.userName))
          .jsonBytes)
    }
    let digest = try #require(container.path.connection?.accountDigest)
    _ = try await container.userRecordID()
    #expect(await eventually { CredentialsFile.read(at: file)?.webAuthToken == "two" })
    watch.look()
    #expect(container.path.connection?.generation == 0)
    #expect(container.path.connection?.accountDigest == digest)
    // A program that starts now reads the same user from the file.
    #expect(CredentialsFile.read(at: file)?.signIn == digest)
    // Another user signs in. Tokens that this program still receives for the old user do not
    // replace the new user's token.
    try write("other")
    _ = try await container.userRecordID()
    watch.look()
    #expect(container.path.connection?.generation == 1)
    #expect(CredentialsFile.read(at: file)?.webAuthToken == "other")
  }

  @Test
  func `a credentials file for another server does not sign a user in to this server`() throws {
    defer { clean() }
    try write("one")
    let (container, watch) = try scene(FakeServer())
    try write("two", url: "https://elsewhere.example.org")
    watch.look()
    #expect(container.path.connection?.hasUser == false)
  }

  @Test func `the credentials file has no effect once the app has signed a user in`() throws {
    defer { clean() }
    try write("one")
    let (container, watch) = try scene(FakeServer())
    container.signIn(webAuthToken: "app")
    let digest = container.path.connection?.accountDigest
    try write("two")
    watch.look()
    #expect(container.path.connection?.accountDigest == digest)
  }

  @Test func `the credentials file is checked at intervals`() async throws {
    defer { clean() }
    try write("one")
    let looks = Journal()
    let watch = CredentialsWatch(
      file: file,
      timing: Timing(
        now: { 0 },
        sleep: { seconds in
          looks.note("\(seconds)")
          if looks.all.count == 3 { throw CancellationError() }
          try? self.write("two")
        }, chance: { 0 }))
    let heard = Journal()
    #expect(watch.follow { heard.note($0?.webAuthToken ?? "none") })
    #expect(!watch.follow { _ in })
    await watch.run()
    #expect(looks.all == ["2.0", "2.0", "2.0"])
    #expect(heard.all.first == "two")
  }
}
