import Foundation
import StratusWire

/// The origin and the ID by which authenticators bind passkeys to this server.
struct PasskeySite: Sendable, Hashable {
  /// The origin of the server's pages, as browsers send it.
  let origin: String
  /// The relying party's ID: the host, without the port.
  let id: String

  /// Returns nil if the URL's host is an IP address, for which browsers create no passkeys
  /// (WebAuthn §5.1.3).
  init?(serverURL: String) {
    let url = serverURL.lowercased()
    guard let separator = url.range(of: "://") else { return nil }
    let host = String(url[separator.upperBound...].prefix { $0 != ":" && $0 != "/" })
    guard !host.isEmpty, !host.hasPrefix("["), NetworkAddress(host) == nil else { return nil }
    origin = url
    id = host
  }

  /// SHA-256 of the ID, which authenticators sign.
  var hash: [UInt8] { Digest.sha256(Array(id.utf8)) }
}
