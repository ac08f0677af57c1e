import Foundation
import Hummingbird
public import Logging
import ServiceLifecycle
import StratusAccounts
import StratusDomain
import StratusHTTP
import StratusWire
import UnixSignals

/// A server process, from its start to its end.
public struct Server: Sendable {
  /// The information that is available as soon as the server accepts requests.
  public struct Ready: Sendable {
    /// The server's address, for example `http://127.0.0.1:8080`.
    public let url: String
    /// The API token for an app. Only a development server has one.
    public let apiToken: String?
    /// The developer's web auth token. Only a development server has one.
    public let webAuthToken: String?
    /// The console's address, or nil if there is no console.
    public var consoleURL: String?
    /// The code with which the operator makes the first owner in the console, or nil if the team
    /// has an owner or there is no console.
    public var setupCode: String?
    /// The address of the metrics, or nil if there are none.
    public var metricsURL: String?
  }

  let settings: Settings
  let live: Live
  let logger: Logger
  /// Gets a line for each request, if the logger's level is `info` or lower.
  let output: LogOutput?

  /// - Parameter output: the output of the logger, or nil to log no requests.
  public init(
    settings: Settings, live: Live = Live(), logger: Logger = Logger(label: "stratus"),
    output: LogOutput? = nil
  ) {
    self.output = output
    self.settings = settings
    self.live = live
    self.logger = logger
  }

  /// Runs until a signal arrives or the task is cancelled. Requests in progress are answered before
  /// this method returns. After the grace period, their connections are closed.
  ///
  /// - Parameters:
  ///   - heedsSignals: whether SIGTERM and SIGINT stop the server.
  ///   - onReady: is called when the server accepts requests.
  /// - Throws: an error if the data folder or the port cannot be used.
  public func run(
    heedsSignals: Bool = false, onReady: @escaping @Sendable (Ready) async -> Void
  ) async throws {
    let requests = try settings.requestLog.map {
      try RequestFiles(data: settings.dataFolder, settings: $0)
    }
    let parts = try await Composition(
      dataFolder: settings.dataFolder, postgres: settings.postgres, s3: settings.assets,
      live: live, logger: logger, publicURL: settings.publicURL, limits: settings.limits,
      push: settings.push, mail: settings.mail?.pages(serverURL: settings.linkURL),
      providers: settings.providerClient, requestArchive: requests,
      managementToken: settings.managementToken)
    let file = settings.dataFolder.appendingPathComponent(ManagementFile.name)
    let outcome: Result<Void, any Error>
    do {
      let socket = try ManagementSocket(data: settings.dataFolder, port: settings.managementPort)
      defer { socket.remove() }
      outcome = .success(try await serve(parts, requests, file, socket, heedsSignals, onReady))
    } catch {
      outcome = .failure(error)
    }
    try? FileManager.default.removeItem(at: file)
    await parts.close()
    try outcome.get()
  }

  private func serve(
    _ parts: Composition, _ requests: RequestFiles?, _ file: URL, _ socket: ManagementSocket,
    _ heedsSignals: Bool, _ onReady: @escaping @Sendable (Ready) async -> Void
  ) async throws {
    var developer: Accounts.DeveloperTokens?
    if let email = settings.developerEmail {
      developer = try await parts.accounts.developerTokens(email: email)
    }
    let (managementURLs, managementURL) = AsyncStream<String>.makeStream()
    var (clients, management) = (parts.router, parts.router)
    (clients.endpointSet, management.endpointSet) = (.clients, .management)
    let identity = try settings.tlsIdentity(live: live)
    clients.trustedProxies = settings.connections.trustedProxies
    clients.isEncrypted = identity != nil
    clients.requiresEncryption =
      identity != nil || settings.publicURL?.hasPrefix("https://") == true
    let serverPort = BoundPort(settings.port)
    let console = try await consoleService(parts, identity, serverPort: serverPort)
    let metrics = metricsService(parts)
    let traces = settings.traces.map { TraceFile(path: $0.path) }
    defer {
      parts.router.reports.flush()
      traces?.flush()
    }
    for observer in logObservers(traces: traces) { parts.router.reports.add(observer) }
    if let metrics { parts.router.reports.add(metrics.observer) }
    clients.stopwatch = Live.stopwatch
    management.stopwatch = Live.stopwatch
    let application = HTTPServer.application(
      router: clients, host: settings.bareHost, port: settings.port,
      connections: settings.connections(with: DescriptorLimit.raise()), tls: identity,
      logger: logger
    ) { [settings, logger, developer, accounts = parts.accounts] port in
      serverPort.set(port)
      // The operator's commands must find the server as soon as it is ready.
      guard let managementURL = await managementURLs.first(where: { _ in true }) else { return }
      let consoleURL = await console?.url.first { _ in true }
      let metricsURL = await metrics?.url.first { _ in true }
      let scheme = settings.tls == nil ? "http" : "https"
      let url = "\(scheme)://\(Settings.inURL(settings.bareHost)):\(port)"
      accounts.setReadyURL(url)
      let management = ManagementFile(
        url: managementURL, token: parts.managementToken, serverURL: settings.publicURL ?? url,
        apiToken: developer?.apiToken, webAuthToken: developer?.webAuthToken)
      do { try OwnerFile.write(management.jsonBytes, to: file) } catch {
        logger.error("the management file cannot be written: \(error)")
      }
      await onReady(
        Ready(
          url: url, apiToken: developer?.apiToken, webAuthToken: developer?.webAuthToken,
          consoleURL: consoleURL, setupCode: console?.setupCode, metricsURL: metricsURL))
    }
    let operators = HTTPServer.management(
      router: management, at: socket.address, logger: logger
    ) { url in
      managementURL.yield(url)
      managementURL.finish()
    }
    for problem in await parts.storeProblems() {
      logger.error("\(problem.sentence)")
    }
    var services: [any ServiceLifecycle.Service] = []
    if let requests {
      parts.requestLog.keep()
      // NB: services stop in reverse order, so this one saves the last requests.
      services.append(
        RequestLogService(
          reports: parts.router.reports, log: parts.requestLog, files: requests,
          now: live.ambient.now, logger: logger))
    }
    services += [operators, application]
    if let console { services.append(console.service) }
    if let metrics { services.append(metrics.service) }
    services += parts.storeSweeps(logger: logger)
    if let identity {
      services.append(
        TLSReloading(identity: identity, heedsSignals: heedsSignals, logger: logger))
    } else if heedsSignals, settings.developerEmail == nil {
      services.append(IgnoredHangUp(logger: logger))
    }
    if let mailer = try settings.mail?.mailer(live: live) {
      let delivery = MailDelivery(accounts: parts.accounts, mailer: mailer) { [logger] in
        logger.error("\($0)")
      }
      services.append(MailService(delivery: delivery, logger: logger))
    }
    if let days = settings.historyDays {
      services.append(parts.deletionSweep(days: days, logger: logger))
    }
    services.append(parts.versionSweep(logger: logger))
    services.append(AssetSweep(parts: parts, graceSeconds: settings.assetGraceSeconds))
    services.append(MemorySweep(parts: parts))
    if let backups = backupService(parts) { services.append(backups) }
    services.append(SessionSweep(accounts: parts.accounts, logger: logger))
    services.append(RemovalSweep(remover: parts.remover, logger: logger))
    // NB: Apple's push service sends notifications without any request, so the stores must stay
    // open.
    if let seconds = settings.storeIdleSeconds, settings.apns == nil {
      services.append(StoreIdling(parts: parts, idleSeconds: seconds))
    }
    services.append(RadarService(radar: parts.radar, logger: logger))
    if let access = settings.apns {
      services.append(parts.apnsService(access, live: live, logger: logger))
    }
    // NB: services stop in reverse order, so listeners are disconnected before the last requests
    // are answered.
    services.append(NotificationService(parts: parts, logger: logger))
    var configured = services.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0) }
    if let end = parts.storageEnd() {
      configured.append(.init(service: end, failureTerminationBehavior: .gracefullyShutdownGroup))
    }
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: configured,
        gracefulShutdownSignals: heedsSignals ? [.sigterm, .sigint] : [], logger: logger))
    try await group.run()
  }
}
