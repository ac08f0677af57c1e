public import Foundation
import Logging
public import StratusAccounts
public import StratusDomain
public import StratusHTTP
public import StratusPush
public import StratusServer
public import StratusTransport

/// A whole server inside a test: the same parts, joined by the same function, without a socket.
///
/// Its data lies in a folder of its own under the system's temporary one, and goes with ``stop()``.
public final class TestServer: Sendable {
  /// Where its data lies.
  public let folder: URL
  public let router: Router
  /// Lets management requests in.
  public let managementToken: String
  /// An account and tokens that are good for every container.
  public let developer: Accounts.DeveloperTokens
  private let composition: Composition
  private let removesFolder: Bool

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - folder: an earlier server's, to go on with its data; nil: a new one.
  ///   - live: its clock and chance.
  ///   - log: gets what it logs; nil: errors go to standard error.
  /// - Throws: what the server throws when it cannot start.
  public init(
    folder: URL? = nil, live: Live = Live(), log: CapturedLog? = nil
  ) async throws {
    let name = "stratus-test-" + live.ambient.makeUUID()
    self.folder = folder ?? FileManager.default.temporaryDirectory.appendingPathComponent(name)
    removesFolder = folder == nil
    var logger = Logger(label: "stratus")
    logger.logLevel = .error
    composition = try await Composition(
      dataFolder: self.folder, live: live, logger: log?.logger ?? logger)
    router = composition.router
    managementToken = composition.managementToken
    developer = try await composition.accounts.developerTokens(email: "developer@localhost")
  }

  /// Closes the data, and removes it unless the folder was given.
  public func stop() async {
    await composition.close()
    if removesFolder { try? FileManager.default.removeItem(at: folder) }
  }

  /// The tokens of another account, good for every container.
  ///
  /// - Throws: what the server throws.
  public func tokens(email: String) async throws -> Accounts.DeveloperTokens {
    try await composition.accounts.developerTokens(email: email)
  }

  /// Takes steps of deletions that took along more records than one transaction can.
  ///
  /// - Parameter stepsMax: how many; nil: until everything is gone that must go.
  /// - Throws: what the server throws.
  public func carryOnCascades(stepsMax: Int? = nil) async throws {
    try await composition.carryOnCascades(stepsMax: stepsMax)
  }

  /// Queues the notifications of what was changed.
  ///
  /// - Parameter limit: subscriptions looked at in one step.
  /// - Throws: what the server throws.
  public func matchChanges(limit: Int = MatchChanges.stepMax) async throws {
    try await composition.matchChanges(limit: limit)
  }

  /// Removes the bytes no record holds, as the server does now and then.
  ///
  /// - Parameter graceSeconds: how long they are kept.
  public func sweepAssets(graceSeconds: Int64) async {
    await composition.sweepAssets(graceSeconds: graceSeconds)
  }

  /// Where those who listen for notifications wait; a test lets it work by
  /// ``handOutNotifications()``, or by `hub.run()` in a task.
  public var hub: Hub { composition.hub }

  /// Puts notifications into queues, as if changes had come to them.
  ///
  /// - Throws: what the store throws.
  public func queue(
    _ notifications: [NewNotification], at address: StoreAddress
  ) async throws(ServerError) {
    try await composition.queue(notifications, at: address)
  }

  /// Hands queued notifications to those who listen; returns when all is done.
  public func handOutNotifications() async {
    await composition.hub.lookAround()
    await composition.hub.settle()
  }

  /// Removes old notifications, and devices that have not been seen for long.
  ///
  /// - Throws: what the store throws.
  public func pruneNotifications() async throws { try await composition.pruneNotifications() }

  /// Removes what is left of deleted zones, as the server does now and then.
  ///
  /// - Throws: what the server throws.
  public func purgeZones() async throws { try await composition.purgeZones() }

  /// Carries requests to this server.
  public var exchange: any HTTPExchange { RouterExchange(router: router) }
}
