public import Foundation
public import StratusWire

/// All settings of a server.
public struct Settings: Sendable {
  /// The folder with all data.
  public var dataFolder: URL
  /// The address to listen on.
  public var host: String
  /// 0: any free port.
  public var port: Int
  /// The e-mail of the account for which a development server signs in; nil: an ordinary server.
  public var developerEmail: String?
  /// The address under which clients call the server, e.g. `https://cloud.example.org`. URLs in
  /// answers begin with this address. nil: URLs contain the host that the request names, which is
  /// wrong behind a proxy that terminates TLS.
  public var publicURL: String?
  /// The limits on callers' requests.
  public var limits: LimitSettings
  /// The time-outs for clients, and the maximum number of connections. ``Server`` adds limits that
  /// fit the number of descriptors, where these settings have none.
  public var connections = ConnectionSettings()
  /// Whether the number of connections from one address is limited even if ``connections`` sets no
  /// such limit.
  public var boundsAddresses = false
  /// How notifications reach clients that listen for them.
  public var push = PushSettings()
  /// How notifications reach devices through Apple's push service; nil: they are not sent there.
  public var apns: APNsAccess?
  /// The number of days for which deletions stay in the history. A client with an older change
  /// token must start again with a nil token. nil: forever.
  public var historyDays: Int64?
  /// The time, in seconds, for which bytes without a referring record are kept.
  public var assetGraceSeconds = Self.assetGraceSeconds

  /// The time, in seconds, for which a store without requests stays open; nil: as long as the
  /// server runs.
  public var storeIdleSeconds: Int64?

  /// The port of this machine at which the operator manages the server; nil: a socket in the data
  /// folder, which only the folder's owner can use.
  public var managementPort: Int?

  /// One day. This is twice the lifetime of receipts.
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
  /// The form of a host in a URL. An IPv6 address is put in brackets (RFC 3986 §3.2.2).
  public static func inURL(_ host: String) -> String {
    guard host.contains(":"), !host.hasPrefix("[") else { return host }
    return "[" + host.replacing("%", with: "%25") + "]"
  }

  /// The host to listen on, without the brackets of a URL.
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

/// How notifications reach clients that listen for them.
public struct PushSettings: Sendable {
  /// The time after which a poll without a notification is answered.
  public var pollHoldSeconds: Int64
  /// The time between two keep-alive messages of a stream.
  public var heartbeatSeconds: Int64

  /// - Parameters:
  ///   - pollHoldSeconds: by default 30, which clients of CloudKit JS are used to.
  ///   - heartbeatSeconds: by default 25, because proxies close connections that are silent for 30
  ///     seconds.
  public init(pollHoldSeconds: Int64 = 30, heartbeatSeconds: Int64 = 25) {
    self.pollHoldSeconds = pollHoldSeconds
    self.heartbeatSeconds = heartbeatSeconds
  }
}
