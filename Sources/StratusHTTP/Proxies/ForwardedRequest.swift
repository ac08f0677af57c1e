import HTTPTypes
import StratusWire

/// The client of a request, and the host and the scheme that the client used.
///
/// A proxy that the operator trusts states these values in `X-Forwarded-For`, `X-Forwarded-Host`
/// and `X-Forwarded-Proto`. From any other sender, these fields are ignored, because any client can
/// send them.
struct ForwardedRequest: Sendable, Equatable {
  /// The address of the client, or nil if it has none, for example at a Unix socket.
  let clientAddress: String?
  /// The host and port that the client used, or nil if the client named none.
  let authority: String?
  /// The scheme `http` or `https`.
  let scheme: String

  /// The maximum number of addresses that are read from the end of `X-Forwarded-For`.
  private static let addressesMax = 16

  /// - Parameters:
  ///   - address: the address of the connection's client.
  ///   - isEncrypted: whether the connection uses TLS.
  ///   - proxies: the proxies that the operator trusts.
  init(
    _ request: HTTPRequest, from address: String?, isEncrypted: Bool, proxies: [AddressRange]
  ) {
    let ownScheme = isEncrypted ? "https" : "http"
    guard !proxies.isEmpty, let address, let sender = NetworkAddress(address),
      proxies.contains(where: { $0.contains(sender) })
    else {
      (clientAddress, authority, scheme) = (address, request.authority, ownScheme)
      return
    }
    let fields = request.headerFields
    clientAddress = Self.client(fields[.forwardedFor], behind: address, proxies)
    authority = fields[.forwardedHost].flatMap(Self.host) ?? request.authority
    scheme =
      switch fields[.forwardedProto].map(Self.last) {
      case "https": "https"
      case "http": "http"
      default: ownScheme
      }
  }

  /// Returns the last address of `X-Forwarded-For` that is not a trusted proxy. The addresses
  /// before it may be invented.
  private static func client(
    _ field: String?, behind proxy: String, _ proxies: [AddressRange]
  ) -> String {
    var client = proxy
    let entries = (field ?? "").split(separator: ",").suffix(addressesMax)
    for entry in entries.reversed() {
      guard let address = NetworkAddress(withPort: entry) else { break }
      client = address.description
      if !proxies.contains(where: { $0.contains(address) }) { break }
    }
    return client
  }

  /// Returns the last value of a list. The nearest proxy has added this value.
  private static func last(_ field: String) -> String {
    let value = field.split(separator: ",").last ?? ""
    return String(value.filter { !$0.isWhitespace }).lowercased()
  }

  private static func host(_ field: String) -> String? {
    let host = last(field)
    return host.isEmpty || !ReceivedHead.isHost(host) ? nil : host
  }
}

extension HTTPField.Name {
  static let forwardedFor = HTTPField.Name("X-Forwarded-For") ?? .server
  static let forwardedHost = HTTPField.Name("X-Forwarded-Host") ?? .server
  static let forwardedProto = HTTPField.Name("X-Forwarded-Proto") ?? .server
  static let strictTransportSecurity = HTTPField.Name("Strict-Transport-Security") ?? .server
}
