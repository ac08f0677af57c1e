public import Foundation
import StratusDomain
import StratusHTTP
public import StratusWire

/// Everything about a server that can be set.
public struct Settings: Sendable {
  /// Where all data lies.
  public var dataFolder: URL
  /// The address to listen on.
  public var host: String
  /// 0: any free one.
  public var port: Int
  /// The e-mail of the account that a server for developers signs in; nil: an ordinary server.
  public var developerEmail: String?
  /// The address under which clients call the server, e.g. `https://cloud.example.org`; the URLs
  /// that the server hands out begin with it. nil: the name in each client's request, which is
  /// wrong behind a proxy that ends TLS.
  public var publicURL: String?
  /// The limits on callers' requests.
  public var limits: LimitSettings
  /// How long it waits for clients, and how many connections it holds. ``Server`` adds bounds that
  /// fit the descriptors it may open, unless there are any.
  public var connections = ConnectionSettings()
  /// Whether connections from one address are bounded where ``connections`` says nothing of it.
  public var boundsAddresses = false
  /// The files of the server's certificate; nil: connections are not encrypted.
  public var tls: TLSFiles?
  /// How notifications reach those who listen.
  public var push = PushSettings()
  /// How notifications reach devices by Apple's push service; nil: they do not.
  public var apns: APNsAccess?
  /// How many days deletions stay in the history. A client with an older change token must start
  /// again with a nil token. nil: forever.
  public var historyDays: Int64?
  /// How long bytes are kept that no record references.
  public var assetGraceSeconds = Self.assetGraceSeconds

  /// How long a store without requests stays open; nil: as long as the server runs.
  public var storeIdleSeconds: Int64?

  /// Where this machine's operator manages the server by a port; nil: by a socket in the data
  /// folder, which only its owner reaches.
  public var managementPort: Int?

  /// A day: twice as long as receipts live.
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
  /// How a URL names a host: an IPv6 address stands in brackets (RFC 3986 §3.2.2).
  public static func inURL(_ host: String) -> String {
    guard host.contains(":"), !host.hasPrefix("[") else { return host }
    return "[" + host.replacing("%", with: "%25") + "]"
  }

  /// The host to listen on, without the brackets of a URL.
  var bareHost: String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }

  /// The bounds of connections that hold with so many descriptors.
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
  /// Reads the files that the server would use, so that a fault shows without a start.
  ///
  /// - Throws: a sentence that says what is wrong with which file.
  public func checkFiles(live: Live = Live()) throws {
    _ = try tlsIdentity(live: live)
  }

  func tlsIdentity(live: Live) throws -> TLSIdentity? {
    guard let tls else { return nil }
    return try TLSIdentity(
      certificateFile: tls.certificate, keyFile: tls.key, now: live.ambient.now)
  }
}

/// The files of a certificate and its private key, as PEM.
public struct TLSFiles: Sendable, Hashable {
  public var certificate: String
  public var key: String

  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}

/// How notifications reach those who listen.
public struct PushSettings: Sendable {
  /// How long a poll is held.
  public var pollHoldSeconds: Int64
  /// Between two signs that a stream stands.
  public var heartbeatSeconds: Int64

  /// - Parameters:
  ///   - pollHoldSeconds: 30, what clients of CloudKit JS are used to.
  ///   - heartbeatSeconds: 25, less than the 30 after which proxies close what is silent.
  public init(pollHoldSeconds: Int64 = 30, heartbeatSeconds: Int64 = 25) {
    self.pollHoldSeconds = pollHoldSeconds
    self.heartbeatSeconds = heartbeatSeconds
  }
}
