public import Foundation
import Logging
package import StratusAccounts
package import StratusDomain
package import StratusHTTP
package import StratusPush
package import StratusServer
package import StratusTransport
package import StratusWire

/// A whole server inside a test: the same parts as everywhere, in the process and the memory of the
/// test, without a socket.
///
/// It starts in milliseconds, serves any number of accounts and devices, and goes by a clock that
/// the test moves. What it is asked by ``TestDevice``s it answers wholly, notifications included,
/// before the call returns.
///
/// ```swift
/// let server = try await TestServer()
/// let alice = try await server.account("alice@example.com")
/// let phone = alice.device("phone"), laptop = alice.device("laptop")
///
/// let notes = phone.container("iCloud.com.example.Notes").privateCloudDatabase
/// try await notes.save(CKRecord(recordType: "Note"))
/// ```
///
/// Whatever may go wrong can be had for a line: see ``TestDevice``, ``TestAccount``, and the
/// properties and methods here that concern everybody.
public final class TestServer: Sendable {
  let core: TestCore
  package let router: Router
  /// Lets management requests in.
  package let managementToken: String
  /// An account and tokens that are good for every container.
  package let developer: Accounts.DeveloperTokens

  private var composition: Composition { core.composition }

  /// Starts an empty server, in memory.
  ///
  /// - Throws: what the server throws when it cannot start.
  public convenience init() async throws { try await self.init(clock: TestClock()) }

  /// Starts an empty server, in memory, that goes by a clock.
  ///
  /// - Throws: what the server throws when it cannot start.
  public convenience init(clock: TestClock) async throws {
    let live = Self.live(by: clock)
    try await self.init(
      storage: try ServerStorage(inMemory: live), clock: clock, live: live, limits: .unpaced,
      log: nil, folder: Self.freshFolder(live), removesFolder: true)
  }

  /// Starts a server with its data in a folder.
  ///
  /// Its data lies in a folder of its own under the system's temporary one, and goes with
  /// ``stop()``, unless the folder is given.
  /// - Parameters:
  ///   - folder: an earlier server's, to go on with its data; nil: a new one.
  ///   - live: its clock and chance; ``clock`` does not move it.
  ///   - limits: how much callers may ask of it.
  ///   - log: gets what it logs; nil: errors go to standard error.
  /// - Throws: what the server throws when it cannot start.
  package convenience init(
    onDiskIn folder: URL?, live: Live = Live(), limits: LimitSettings = .unpaced,
    log: CapturedLog? = nil
  ) async throws {
    let place = folder ?? Self.freshFolder(live)
    try await self.init(
      storage: try ServerStorage(folder: place, live: live, limits: limits), clock: TestClock(),
      live: live, limits: limits, log: log, folder: place, removesFolder: folder == nil)
  }

  /// Starts a server with its data in a folder that outlasts it.
  ///
  /// - Parameters:
  ///   - folder: an earlier server's, to go on with its data, or a new one.
  ///   - clock: what it goes by; nil: one that begins at the machine's time, which is after that of
  ///     the data. Give it an earlier server's if that has been advanced.
  ///   - log: gets what it logs; nil: errors go to standard error.
  /// - Throws: what the server throws when it cannot start.
  public convenience init(
    folder: URL, clock: TestClock? = nil, log: CapturedLog? = nil
  ) async throws {
    let now = Double(Live().ambient.now()) / 1_000
    let clock = clock ?? TestClock(at: Date(timeIntervalSince1970: now))
    let live = Self.live(by: clock)
    try await self.init(
      storage: try ServerStorage(folder: folder, live: live), clock: clock, live: live,
      limits: .unpaced, log: log, folder: folder, removesFolder: false)
  }

  /// Real chance and names, and a test's time.
  private static func live(by clock: TestClock) -> Live {
    Live(
      ambient: Ambient(
        now: { Int64((clock.date.timeIntervalSince1970 * 1_000).rounded()) },
        makeUUID: Live().ambient.makeUUID))
  }

  /// Starts a server with a clock and chance of its own, and its data in a folder that goes with
  /// ``stop()``.
  ///
  /// - Throws: what the server throws when it cannot start.
  package convenience init(
    live: Live, limits: LimitSettings = .unpaced, log: CapturedLog? = nil
  ) async throws {
    try await self.init(onDiskIn: nil, live: live, limits: limits, log: log)
  }

  private init(
    storage: ServerStorage, clock: TestClock, live: Live, limits: LimitSettings,
    log: CapturedLog?, folder: URL, removesFolder: Bool
  ) async throws {
    var logger = Logger(label: "stratus")
    logger.logLevel = .error
    let composition = try await Composition(
      storage: storage, live: live, logger: log?.logger ?? logger, limits: limits)
    router = composition.router
    managementToken = composition.managementToken
    developer = try await composition.accounts.developerTokens(email: "developer@localhost")
    core = TestCore(
      composition: composition, clock: clock, apiToken: developer.apiToken, folder: folder,
      removesFolder: removesFolder)
  }

  private static func freshFolder(_ live: Live) -> URL {
    FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-test-" + live.ambient.makeUUID())
  }

  /// The clock of the server and its devices: of records' dates, repetitions and back-off.
  public var clock: TestClock { core.clock }

  /// Where its data lies, unless that is in memory, and where devices keep what they keep.
  package var folder: URL { core.folder }

  /// Ends the server, and removes what it left on disk. Letting go of it and its devices does, too.
  public func stop() async {
    await composition.close()
    core.removeFolder()
  }

  /// The tokens of another account, good for every container.
  ///
  /// - Throws: what the server throws.
  package func tokens(email: String) async throws -> Accounts.DeveloperTokens {
    try await composition.accounts.developerTokens(email: email)
  }

  /// Takes steps of deletions that took along more records than one transaction can.
  ///
  /// - Parameter stepsMax: how many; nil: until everything is gone that must go.
  /// - Throws: what the server throws.
  package func carryOnCascades(stepsMax: Int? = nil) async throws {
    try await composition.carryOnCascades(stepsMax: stepsMax)
  }

  /// Queues the notifications of what was changed.
  ///
  /// - Parameter limit: subscriptions looked at in one step.
  /// - Throws: what the server throws.
  package func matchChanges(limit: Int = MatchChanges.stepMax) async throws {
    try await composition.matchChanges(limit: limit)
  }

  /// Removes the bytes no record holds, as the server does now and then.
  ///
  /// - Parameter graceSeconds: how long they are kept.
  package func sweepAssets(graceSeconds: Int64) async {
    await composition.sweepAssets(graceSeconds: graceSeconds)
  }

  /// Where those who listen for notifications wait; a test lets it work by
  /// ``handOutNotifications()``, or by `hub.run()` in a task.
  package var hub: Hub { composition.hub }

  /// Puts notifications into queues, as if changes had come to them.
  ///
  /// - Throws: what the store throws.
  package func queue(
    _ notifications: [NewNotification], at address: StoreAddress
  ) async throws(ServerError) {
    try await composition.queue(notifications, at: address)
  }

  /// Hands queued notifications to those who listen; returns when all is done.
  package func handOutNotifications() async {
    await composition.hub.lookAround()
    await composition.hub.settle()
  }

  /// Removes old notifications, and devices that have not been seen for long.
  ///
  /// - Throws: what the store throws.
  package func pruneNotifications() async throws { try await composition.pruneNotifications() }

  /// Removes what is left of deleted zones, as the server does now and then.
  ///
  /// - Throws: what the server throws.
  package func purgeZones() async throws { try await composition.purgeZones() }

  /// Carries requests to this server.
  package var exchange: any HTTPExchange { RouterExchange(router: router) }
}
