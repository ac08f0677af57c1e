public import Foundation
import Logging
package import StratusAccounts
package import StratusDomain
package import StratusHTTP
package import StratusPush
package import StratusServer
package import StratusTransport
package import StratusWire

/// A complete server inside a test. It consists of the same parts as a real server, runs in the
/// test's process, and uses no socket.
///
/// The server starts in milliseconds, serves any number of accounts and devices, and uses a clock
/// that the test advances. Before a call of a ``TestDevice`` returns, the server also delivers the
/// notifications that the call causes.
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
/// A test can cause any failure with one line: see ``TestDevice``, ``TestAccount``, and the
/// properties and methods of this class that affect all devices.
public final class TestServer: Sendable {
  let core: TestCore
  package let router: Router
  /// The token that authorizes management requests.
  package let managementToken: String
  /// An account and tokens that are valid for every container.
  package let developer: Accounts.DeveloperTokens

  private var composition: Composition { core.composition }

  /// Starts an empty server that keeps its data in memory.
  ///
  /// - Parameter schema: the rules for the schema. In development, the first save creates types and
  ///   fields.
  /// - Throws: ``SchemaFileError``, or another error that prevents the server from starting.
  public convenience init(schema: ServerSchema = .development) async throws {
    try await self.init(clock: TestClock(), schema: schema)
  }

  /// Starts an empty server that keeps its data in memory and uses the given clock.
  ///
  /// - Throws: ``SchemaFileError``, or another error that prevents the server from starting.
  public convenience init(clock: TestClock, schema: ServerSchema = .development) async throws {
    let live = Self.live(by: clock)
    try await self.init(
      storage: try await TestEngine.chosen.storage(live: live), clock: clock, live: live,
      limits: .unpaced, log: nil, folder: Self.freshFolder(live), removesFolder: true,
      schema: try schema.read())
  }

  /// Starts a server that keeps its data in a folder.
  ///
  /// Without a given folder, the server creates a folder in the system's temporary folder, and
  /// ``stop()`` removes it.
  /// - Parameters:
  ///   - folder: the folder of an earlier server, whose data the new server uses. nil means a new
  ///     folder.
  ///   - live: the server's clock and random numbers. The test's ``clock`` does not affect them.
  ///   - limits: the limits on callers' requests.
  ///   - log: receives the server's log. nil means that errors go to standard error.
  ///   - mail: the settings for mails and sign-up, or nil if the server offers neither.
  ///   - providers: the identity providers at which users can sign in, or nil if there are none.
  /// - Throws: the error that prevents the server from starting.
  package convenience init(
    onDiskIn folder: URL?, live: Live = Live(), limits: LimitSettings = .unpaced,
    log: CapturedLog? = nil, mail: MailSettings? = nil, providers: ProviderClient? = nil
  ) async throws {
    let location = folder ?? Self.freshFolder(live)
    try await self.init(
      storage: try await TestEngine.chosen.storage(in: location, live: live, limits: limits),
      clock: TestClock(), live: live, limits: limits, log: log, folder: location,
      removesFolder: folder == nil, mail: mail, providers: providers)
  }

  /// Starts a server with its data in a folder that remains after the server ends.
  ///
  /// - Parameters:
  ///   - folder: the folder of an earlier server, whose data the new server uses, or a new folder.
  ///   - clock: the server's clock. nil means a clock that starts at the machine's time. If the
  ///     test has advanced the earlier server's clock, pass that clock, so that the time does not
  ///     go back.
  ///   - log: receives the server's log. nil means that errors go to standard error.
  /// - Throws: the error that prevents the server from starting.
  public convenience init(
    folder: URL, clock: TestClock? = nil, log: CapturedLog? = nil
  ) async throws {
    let now = Double(Live().ambient.now()) / 1_000
    let clock = clock ?? TestClock(at: Date(timeIntervalSince1970: now))
    let live = Self.live(by: clock)
    try await self.init(
      storage: try await TestEngine.chosen.storage(in: folder, live: live), clock: clock,
      live: live, limits: .unpaced, log: log, folder: folder, removesFolder: false)
  }

  /// Combines real random numbers and UUIDs with a test's clock.
  private static func live(by clock: TestClock) -> Live {
    Live(
      ambient: Ambient(
        now: { Int64((clock.date.timeIntervalSince1970 * 1_000).rounded()) },
        makeUUID: Live().ambient.makeUUID))
  }

  /// Starts a server with the given clock and random numbers. Its data is in a folder that
  /// ``stop()`` removes.
  ///
  /// - Throws: the error that prevents the server from starting.
  package convenience init(
    live: Live, limits: LimitSettings = .unpaced, log: CapturedLog? = nil,
    mail: MailSettings? = nil, providers: ProviderClient? = nil
  ) async throws {
    try await self.init(
      onDiskIn: nil, live: live, limits: limits, log: log, mail: mail, providers: providers)
  }

  private init(
    storage: ServerStorage, clock: TestClock, live: Live, limits: LimitSettings,
    log: CapturedLog?, folder: URL, removesFolder: Bool, schema: Schema? = nil,
    mail: MailSettings? = nil, providers: ProviderClient? = nil
  ) async throws {
    var logger = Logger(label: "stratus")
    logger.logLevel = .error
    let composition = try await Composition(
      storage: storage, live: live, logger: log?.logger ?? logger, limits: limits, mail: mail,
      providers: providers)
    router = composition.router
    managementToken = composition.managementToken
    developer = try await composition.accounts.developerTokens(email: "developer@localhost")
    core = TestCore(
      composition: composition, clock: clock, apiToken: developer.apiToken, folder: folder,
      removesFolder: removesFolder, schema: schema)
  }

  private static func freshFolder(_ live: Live) -> URL {
    FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-test-" + live.ambient.makeUUID())
  }

  /// The clock of the server and its devices. It determines record dates, retries and back-off.
  public var clock: TestClock { core.clock }

  /// The folder of the devices' local state, and of the server's data if the data is stored in
  /// files.
  package var folder: URL { core.folder }

  /// Stops the server and removes its files, except a data folder that the test has named.
  /// Releasing the server and its devices has the same effect.
  public func stop() async {
    await composition.close()
    core.removeFolder()
  }

  /// Returns the tokens of the account with this e-mail address. The tokens are valid for every
  /// container.
  ///
  /// - Throws: the server's error.
  package func tokens(email: String) async throws -> Accounts.DeveloperTokens {
    try await composition.accounts.developerTokens(email: email)
  }

  /// Sets the name of an account's user, and whether other users can find the user.
  package func setProfile(_ profile: Profile, of email: String) async throws {
    try await composition.accounts.setProfile(profile, of: email)
  }

  package var requestLog: RequestLog { composition.requestLog }
  package var news: ConsoleNews { composition.news }

  package var accounts: Accounts { composition.accounts }

  /// The number of passwords hashed so far.
  package var passwordHashCount: Int { composition.accounts.passwordHashCount }

  /// Continues cascading deletions that contain more records than one transaction can delete, and
  /// changes of shared hierarchies with more records than one transaction can change.
  ///
  /// - Parameter stepsMax: the maximum number of transactions in each store. nil means that all
  ///   this work is completed.
  /// - Throws: the server's error.
  package func continueCascades(stepsMax: Int? = nil) async throws {
    try await composition.continueCascades(stepsMax: stepsMax)
  }

  /// Continues the background work that copies or removes a field in all records. A real server
  /// does this work continuously.
  package func continueRetirements(stepsMax: Int? = nil) async throws {
    try await composition.continueRetirements(stepsMax: stepsMax)
  }

  /// Queues the notifications for the changes that have been made so far.
  ///
  /// - Parameter limit: the maximum number of subscriptions that one transaction checks.
  /// - Throws: the server's error.
  package func matchChanges(limit: Int = MatchChanges.stepMax) async throws {
    try await composition.matchChanges(limit: limit)
  }

  /// Removes asset bytes that no record references, as the server does periodically.
  ///
  /// - Parameter graceSeconds: the number of seconds for which unreferenced bytes are kept.
  package func sweepAssets(graceSeconds: Int64) async {
    await composition.sweepAssets(graceSeconds: graceSeconds)
  }

  /// The hub that delivers notifications to listeners. A test runs it with
  /// ``handOutNotifications()``, or with `hub.run()` in a task.
  package var hub: Hub { composition.hub }

  /// Sends the waiting mails, and returns when none is due any more.
  ///
  /// - Parameter report: receives a sentence about each failure.
  /// - Throws: the server's error.
  package func sendMails(
    by mailer: any Mailer, report: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws {
    let delivery = MailDelivery(
      accounts: composition.accounts, mailer: mailer, report: report)
    while try await delivery.step() {}
  }

  /// Removes the sessions that have ended, and other data that has expired.
  package func forgetEndedSessions() async throws {
    try await composition.accounts.forgetEndedSessions()
  }

  /// The number of stored sessions.
  package var sessionCount: Int {
    get async throws { try await composition.accounts.sessionCount }
  }

  /// Adds notifications to queues, as if changes had caused them.
  ///
  /// - Throws: the store's error.
  package func queue(
    _ notifications: [NewNotification], at address: StoreAddress
  ) async throws(ServerError) {
    try await composition.queue(notifications, at: address)
  }

  /// Delivers queued notifications to their listeners, and returns when all are delivered.
  package func handOutNotifications() async {
    await composition.hub.poll()
    await composition.hub.settle()
  }

  /// Removes old notifications, and devices that have been inactive for a long time.
  ///
  /// - Throws: the store's error.
  package func pruneNotifications() async throws { try await composition.pruneNotifications() }

  /// Drops indexes that no query has used for a long time, as the server does periodically.
  ///
  /// - Throws: the server's error.
  public func dropUnusedIndexes() async throws { try await composition.dropUnusedIndexes() }

  /// Removes the remaining data of deleted zones, as the server does periodically.
  ///
  /// - Throws: the server's error.
  package func purgeZones() async throws { try await composition.purgeZones() }

  /// Closes the stores that have had no request for some time and have no unfinished work, as the
  /// server does periodically.
  package func closeIdleStores(idleSeconds: Int64) async {
    await composition.closeIdleStores(idleSeconds: idleSeconds)
  }

  package func isOpen(_ address: StoreAddress) -> Bool { composition.isOpen(address) }

  /// Returns the store of a container, for tests that bypass requests.
  ///
  /// - Throws: the store's error.
  package func store(at address: StoreAddress) async throws(ServerError) -> any Store {
    try await composition.store(at: address)
  }

  /// An exchange that sends requests to this server.
  package var exchange: any HTTPExchange { RouterExchange(router: router) }
}
