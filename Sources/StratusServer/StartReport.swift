import Foundation
import StratusWire

/// The lines that a server prints when it is ready: its version, its data folder, its address, and
/// the optional features that are switched on.
public struct StartReport: Sendable, Equatable {
  /// The printed lines, each with a name and a value.
  public let lines: [String]

  /// - Parameter url: the address at which the server can be reached.
  public init(of settings: Settings, at url: String) {
    var rows = [
      ("version", ServerVersion.current),
      ("data", settings.dataFolder.standardizedFileURL.path),
      ("address", url),
    ]
    rows += Self.features(of: settings).map { ("on", $0) }
    if settings.publicURL?.hasPrefix("https://") == true, settings.tls == nil,
      settings.connections.trustedProxies.isEmpty
    {
      rows.append(
        (
          "note",
          "all clients behind a proxy count as one address; name the proxy with --trusted-proxy"
        ))
    }
    let secrets =
      [
        settings.tls.map { URL(fileURLWithPath: $0.key) }, settings.apns?.keyFile,
        settings.mail?.passwordFile, settings.assets?.credentialsFile,
      ] + settings.providers.map(\.secretFile)
    for file in secrets {
      guard let file, Self.isOpen(file) else { continue }
      rows.append(
        ("note", "every user of this machine can read \(file.path); run 'chmod o= \(file.path)'"))
    }
    lines = rows.map { name, value in
      "stratus: " + name.padding(toLength: 8, withPad: " ", startingAt: 0) + value
    }
  }

  /// Whether the permissions of a file allow access to users other than its owner and its group.
  private static func isOpen(_ file: URL) -> Bool {
    let path = file.resolvingSymlinksInPath().path
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue else { return false }
    return mode & 0o007 != 0
  }

  /// The features that the settings switch on, each in a few words.
  private static func features(of settings: Settings) -> [String] {
    var features: [String] = []
    if let email = settings.developerEmail {
      features.append("development: containers on first use, \(email) is signed in")
    }
    if settings.postgres != nil { features.append("stores in PostgreSQL") }
    if let assets = settings.assets {
      let downloads = assets.presignsDownloads ? ", downloads by presigned URLs" : ""
      features.append("assets in \(assets.shown)\(downloads)")
    }
    if let url = settings.publicURL { features.append("public URL \(url)") }
    if let backups = settings.backups {
      features.append("a backup every \(backups.everyHours) h in \(backups.folder.path)")
    }
    if let files = settings.tls { features.append("TLS with \(files.certificate)") }
    if !settings.providers.isEmpty {
      let names = settings.providers.map(\.name).joined(separator: ", ")
      features.append("sign-in at other providers (\(names))")
    }
    let proxies = settings.connections.trustedProxies.count
    if proxies > 0 {
      features.append("trusted proxies (\(proxies) \(proxies == 1 ? "range" : "ranges"))")
    }
    if let mail = settings.mail {
      if mail.signUp != "closed" { features.append("sign-up (\(mail.signUp))") }
      switch mail.route {
      case .smtp(let smtp): features.append("mail over \(smtp.host)")
      case .folder(let url): features.append("mail as files in \(url.path)")
      case nil: break
      }
    }
    if let port = settings.managementPort {
      features.append("management at " + (port == 0 ? "a free port" : "port \(port)"))
    }
    if let console = settings.console {
      features.append("console at " + (console.port == 0 ? "a free port" : "port \(console.port)"))
    }
    if let metrics = settings.metrics {
      features.append("metrics at " + (metrics.port == 0 ? "a free port" : "port \(metrics.port)"))
    }
    if let log = settings.requestLog {
      features.append("request log on disk for \(log.days) days")
    }
    if let apns = settings.apns { features.append("Apple's push service for \(apns.topic)") }
    if let days = settings.historyDays {
      features.append("deletions leave the history after \(days) days")
    }
    if let seconds = settings.storeIdleSeconds, settings.apns == nil, settings.postgres == nil {
      features.append("stores close after \(seconds) s without a request")
    }
    let limits = settings.limits
    let rates = [
      limits.requestsPerUser, limits.operationsPerUser, limits.requestsPerAPIToken,
      limits.operationsPerAPIToken, limits.anonymousRequestsPerAddress,
      limits.anonymousRequestsPerAPIToken,
    ]
    let count = rates.count { $0 != nil }
    if count > 0 { features.append("rate limits (\(count) of \(rates.count))") }
    return features
  }
}
