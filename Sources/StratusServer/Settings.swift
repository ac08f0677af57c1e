public import Foundation
import StratusDomain
import StratusHTTP
public import StratusWire

/// All settings of a server.
public struct Settings: Sendable {
  /// The folder with all data.
  public var dataFolder: URL
  /// The PostgreSQL cluster with the stores and the registry, or nil if they are in the data
  /// folder.
  public var postgres: PostgresAccess?
  /// The S3-compatible storage for the bytes of assets, or nil if they are in the data folder or in
  /// ``PostgresAccess/sharedFolder``.
  public var assets: S3Access?
  /// The address at which the server listens.
  public var host: String
  /// The port at which the server listens. The port 0 means any free port.
  public var port: Int
  /// The e-mail of the account that a development server signs in, or nil for an ordinary server.
  public var developerEmail: String?
  /// The address at which clients call the server, for example `https://cloud.example.org`. URLs in
  /// answers begin with it. If it is nil, they begin with the scheme of the connection and the host
  /// of the request. Behind a proxy that terminates TLS, this scheme is wrong, unless the server
  /// trusts the proxy.
  public var publicURL: String?
  /// The limits on callers' requests.
  public var limits: LimitSettings
  /// The time-outs for clients, and the maximum numbers of connections. If the system does not
  /// allow the server enough open descriptors, the server allows fewer connections; see
  /// ``connections(with:)``.
  public var connections = ConnectionSettings()
  /// Whether the number of connections from one address is limited, even if ``connections``
  /// contains no such limit.
  public var boundsAddresses = false
  /// The settings for sign-up and mails, or nil if the server offers neither.
  public var mail: MailServiceSettings?
  /// The identity providers at which users can sign in.
  public var providers: [ProviderSettings] = []
  /// The files of the server's certificate and key, or nil if connections are not encrypted.
  public var tls: TLSFiles?
  /// The times for clients that listen for notifications.
  public var push = PushSettings()
  /// The access to Apple's push service, or nil if the server does not use it.
  public var apns: APNsAccess?
  /// The number of days for which deletions stay in the history, or nil to keep them forever. A
  /// client with an older change token must begin again with a nil token.
  public var historyDays: Int64?
  /// The number of seconds for which asset bytes are kept if no record uses them.
  public var assetGraceSeconds = Self.assetGraceSeconds

  /// The number of seconds for which a store without requests stays open, or nil to keep it open
  /// while the server runs.
  public var storeIdleSeconds: Int64?

  /// The local port at which the operator manages the server. If it is nil, the server uses a
  /// socket that only the owner of the data folder can use. The socket is in the data folder, or in
  /// `/tmp` if its path would be too long.
  public var managementPort: Int?

  /// The token that authorizes the operator's commands. If it is nil, the server creates a
  /// random token at each start. Several nodes can have the same token.
  public var managementToken: String?

  /// The settings of the backups that the server makes by itself, or nil if it makes none.
  public var backups: BackupSettings?

  /// The address of the console, or nil if the server has no console.
  public var console: ConsoleAddress?

  /// The bounds of the request log on disk, or nil if the log is only in memory.
  public var requestLog: RequestLogSettings?

  /// The address of the metrics, or nil if the server has none.
  public var metrics: MetricsAddress?

  /// The file for traces and the fraction of traced requests, or nil if no request is traced.
  public var traces: TraceSettings?

  /// The duration in milliseconds after which a query is logged as slow, or nil if none is logged.
  public var slowQueryMilliseconds: Int64?

  /// One day, which is twice the lifetime of receipts.
  public static let assetGraceSeconds: Int64 = 86_400

  public init(
    dataFolder: URL, host: String = "127.0.0.1", port: Int = 8080, developerEmail: String? = nil,
    publicURL: String? = nil, limits: LimitSettings = .unpaced
  ) {
    self.limits = limits
    self.publicURL = publicURL
    self.dataFolder = dataFolder
    self.host = host
    self.port = port
    self.developerEmail = developerEmail
  }
}

extension Settings {
  /// Returns a host as it appears in a URL. An IPv6 address is put in brackets (RFC 3986 §3.2.2).
  public static func inURL(_ host: String) -> String {
    guard host.contains(":"), !host.hasPrefix("[") else { return host }
    return "[" + host.replacing("%", with: "%25") + "]"
  }

  /// The host at which the server listens, without the brackets of a URL.
  var bareHost: String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }

  /// Returns the connection settings with limits that fit a number of descriptors.
  func connections(with descriptors: Int) -> ConnectionSettings {
    var settings = connections
    let all = min(settings.connectionsMax ?? .max, DescriptorLimit.connectionsMax(of: descriptors))
    settings.connectionsMax = all
    if settings.connectionsPerAddressMax == nil, boundsAddresses {
      settings.connectionsPerAddressMax = min(Limits.connectionsPerAddressMax, max(1, all / 2))
    }
    return settings
  }
}

extension Settings {
  /// Reads the files that the server would use, so that a fault is found before the start.
  ///
  /// - Throws: an error whose text says which file is wrong, and why.
  public func checkFiles(live: Live = Live()) throws {
    _ = try tlsIdentity(live: live)
    _ = try mail?.mailer(live: live)
    try assets?.requireCredentials()
  }

  /// The server's URL in the links of mails. It is nil on a development server, whose links use the
  /// URL of the request.
  var linkURL: String? {
    developerEmail == nil ? publicURL.map(Composition.withoutSlash) : nil
  }

  func tlsIdentity(live: Live) throws -> TLSIdentity? {
    guard let tls else { return nil }
    return try TLSIdentity(
      certificateFile: tls.certificate, keyFile: tls.key, now: live.ambient.now)
  }
}

/// The access to a PostgreSQL cluster.
public struct PostgresAccess: Sendable, Hashable {
  /// The address, such as `postgres://user@host/database`, without a password.
  public var url: String
  /// Whether the server starts although a failover may lose acknowledged writes. If so, all change
  /// tokens expire with each failover.
  public var allowsLoss: Bool
  /// The folder of the keys and the bytes of assets, which all nodes share, or nil if they are in
  /// the data folder.
  public var sharedFolder: URL?

  public init(url: String, allowsLoss: Bool = false, sharedFolder: URL? = nil) {
    self.url = url
    self.allowsLoss = allowsLoss
    self.sharedFolder = sharedFolder
  }
}

/// The address of the console. It differs from the address of the API, so that a browser keeps the
/// two apart.
public struct ConsoleAddress: Sendable, Hashable {
  public var host: String
  /// The port, or 0 for any free port.
  public var port: Int
  /// The URL at which browsers open the console, or nil if it follows from the host and the port.
  public var url: String?
  /// The folder with the files of the front end, or nil to serve the files in the program.
  public var files: String?

  public init(
    host: String = "127.0.0.1", port: Int, url: String? = nil, files: String? = nil
  ) {
    self.host = host
    self.port = port
    self.url = url
    self.files = files
  }

  /// Returns the reason why members must not use the console at this address, or nil. Members send
  /// their passwords to the console, so a connection from another machine must be encrypted.
  ///
  /// - Parameter isEncrypted: whether the console itself uses TLS.
  public func fault(isEncrypted: Bool) -> String? {
    if let url, !url.hasPrefix("https://"), !LocalName.isLocal(url) {
      return "--console-url must begin with https://, because members send their passwords to it"
    }
    let isProxied = url?.hasPrefix("https://") == true
    if isEncrypted || isProxied || LocalName.isLocal("http://" + Settings.inURL(host)) {
      return nil
    }
    return "--console-host \(host) needs --tls-certificate and --tls-key, or --console-url with "
      + "the https:// address of a proxy, because members send their passwords to the console"
  }
}

/// The PEM files of a certificate and its private key.
public struct TLSFiles: Sendable, Hashable {
  public var certificate: String
  public var key: String

  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}

/// The times for clients that listen for notifications.
public struct PushSettings: Sendable {
  /// The number of seconds after which a long poll without a notification is answered.
  public var pollHoldSeconds: Int64
  /// The number of seconds between two heartbeats of a stream.
  public var heartbeatSeconds: Int64

  /// - Parameters:
  ///   - pollHoldSeconds: the default is 30, which CloudKit JS expects.
  ///   - heartbeatSeconds: the default is 25, because proxies close connections that are silent for
  ///     30 seconds.
  public init(pollHoldSeconds: Int64 = 30, heartbeatSeconds: Int64 = 25) {
    self.pollHoldSeconds = pollHoldSeconds
    self.heartbeatSeconds = heartbeatSeconds
  }
}
