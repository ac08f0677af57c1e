import ArgumentParser
import StratusServer
import StratusWire

/// The options for the time-outs of clients and the maximum number of connections.
struct ConnectionOptions: ParsableArguments {
  /// One day, which is longer than a server should wait for any client.
  private static let secondsMax: Int64 = 86_400

  @Option(help: "Seconds for requests in progress when the server ends; then connections close.")
  var gracePeriod = Limits.graceSeconds

  @Option(help: "Seconds for the head of a request to arrive.")
  var headTimeout = Limits.headSecondsMax

  @Option(
    help: """
      Seconds in which a request's body ends or makes progress, 32 kB; an upload may take longer \
      with steady progress.
      """)
  var bodyTimeout = Limits.bodySecondsMax

  @Option(
    help: """
      Seconds in which a client reads an answer or 32 kB more of it; a download may take longer \
      with steady progress.
      """)
  var answerTimeout = Limits.answerSecondsMax

  @Option(help: "Seconds for which a connection stays open without a request.")
  var idleTimeout = Limits.idleSecondsMax

  @Option(
    help: """
      Connections from one address; 0: any number, as behind a proxy that makes all of them. \
      (default: \(Limits.connectionsPerAddressMax), at most half of all)
      """)
  var connectionsPerAddress: Int?

  /// - Throws: `Failure` if a number is out of range.
  func settings() throws -> ConnectionSettings {
    if let connectionsPerAddress, connectionsPerAddress < 0 {
      throw Failure("--connections-per-address must be 0 or more")
    }
    guard (0...Self.secondsMax).contains(gracePeriod) else {
      throw Failure("--grace-period must be 0 to \(Self.secondsMax)")
    }
    return ConnectionSettings(
      headTimeout: try time(headTimeout, "head-timeout"),
      bodyTimeout: try time(bodyTimeout, "body-timeout"),
      answerTimeout: try time(answerTimeout, "answer-timeout"),
      idleTimeout: try time(idleTimeout, "idle-timeout"),
      gracePeriod: .seconds(gracePeriod),
      connectionsPerAddressMax: connectionsPerAddress == 0 ? nil : connectionsPerAddress)
  }

  private func time(_ seconds: Int64, _ name: String) throws -> Duration {
    guard (1...Self.secondsMax).contains(seconds) else {
      throw Failure("--\(name) must be 1 to \(Self.secondsMax)")
    }
    return .seconds(seconds)
  }
}
