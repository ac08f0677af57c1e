import ArgumentParser
import StratusServer
import StratusWire

/// The options for the time-outs and the maximum number of connections.
struct ConnectionOptions: ParsableArguments {
  /// The maximum of the time-outs: one day, which is longer than a server should wait for a client.
  private static let secondsMax: Int64 = 86_400

  @Option(
    help: """
      The number of seconds within which requests in progress must end when the server stops. \
      After that, their connections are closed.
      """)
  var gracePeriod = Limits.graceSeconds

  @Option(help: "The number of seconds in which the head of a request must arrive.")
  var headTimeout = Limits.headSecondsMax

  @Option(
    help: """
      The number of seconds in which the next 32 kB or the end of a request's body must arrive. A \
      whole upload may take longer.
      """)
  var bodyTimeout = Limits.bodySecondsMax

  @Option(
    help: """
      The number of seconds in which a client must read the next 32 kB or the end of an answer. A \
      whole download may take longer.
      """)
  var answerTimeout = Limits.answerSecondsMax

  @Option(help: "The number of seconds for which a connection stays open without a request.")
  var idleTimeout = Limits.idleSecondsMax

  @Option(
    help: """
      The maximum number of connections from one address; 0 means no limit, for example behind a \
      proxy. (default: \(Limits.connectionsPerAddressMax), at most half of all connections)
      """)
  var connectionsPerAddress: Int?

  @Option(
    name: .customLong("trusted-proxy"),
    help: ArgumentHelp(
      """
      The address of a proxy, or a range such as 10.0.0.0/8. The server trusts the fields \
      X-Forwarded-For, -Host and -Proto of these proxies. May be given several times.
      """, valueName: "range"))
  var trustedProxies: [String] = []

  /// - Throws: `Failure` for a number out of range, or for a text that is not a range of addresses.
  func settings() throws -> ConnectionSettings {
    if let connectionsPerAddress {
      try requireNumber(connectionsPerAddress, in: 0..., of: "--connections-per-address")
    }
    try requireNumber(gracePeriod, in: 0...Self.secondsMax, of: "--grace-period")
    var settings = ConnectionSettings(
      headTimeout: try time(headTimeout, "head-timeout"),
      bodyTimeout: try time(bodyTimeout, "body-timeout"),
      answerTimeout: try time(answerTimeout, "answer-timeout"),
      idleTimeout: try time(idleTimeout, "idle-timeout"),
      gracePeriod: .seconds(gracePeriod),
      connectionsPerAddressMax: connectionsPerAddress == 0 ? nil : connectionsPerAddress)
    for text in trustedProxies {
      guard let range = AddressRange(text) else {
        throw Failure(
          "--trusted-proxy '\(text)' is neither an address nor a range such as 10.0.0.0/8")
      }
      settings.trustedProxies.append(range)
    }
    return settings
  }

  private func time(_ seconds: Int64, _ name: String) throws -> Duration {
    try requireNumber(seconds, in: 1...Self.secondsMax, of: "--\(name)")
    return .seconds(seconds)
  }
}
