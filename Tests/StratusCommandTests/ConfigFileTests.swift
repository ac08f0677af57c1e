import Foundation
import StratusServer
import StratusWire
import Testing

@testable import stratus

@Suite struct `A configuration file` {
  private func file(_ text: String) throws -> ConfigFile {
    try ConfigFile(path: "stratus.yaml", text: text)
  }

  /// The error message for a configuration file, as the operator reads it.
  private func fault(_ text: String) -> String {
    do {
      let file = try file(text)
      if let first = file.faults.first { return first.description }
      do {
        _ = try file.command(with: []).settings()
        return ""
      } catch let failure as Failure {
        return file.fault(of: failure)?.description ?? failure.description
      }
    } catch { return "\(error)" }
  }

  @Test func `a configuration file sets the options of the server by their names`() throws {
    let command = try file(
      """
      # A comment
      data: "/srv/stratus"
      port: 9090
      public-url: https://cloud.example.org
      trusted-proxy: [10.0.0.0/8, 127.0.0.1]
      requests-per-user: 7
      head-timeout: 9
      """
    ).command(with: [])
    let settings = try command.settings()
    #expect(settings.dataFolder.path == "/srv/stratus")
    #expect(settings.port == 9_090)
    #expect(settings.publicURL == "https://cloud.example.org")
    #expect(settings.connections.trustedProxies.count == 2)
    #expect(settings.limits.requestsPerUser?.perSecond == 7)
    #expect(settings.connections.headTimeout == .seconds(9))
  }

  @Test func `options of the command line override the configuration file`() throws {
    let file = try file("port: 9090\nhost: 0.0.0.0\ntrusted-proxy: [10.0.0.0/8, 127.0.0.1]\n")
    let settings = try file.command(
      with: ["--config", "stratus.yaml", "--port", "1", "--trusted-proxy=192.0.2.1"]
    ).settings()
    #expect(settings.port == 1)
    #expect(settings.host == "0.0.0.0")
    #expect(settings.connections.trustedProxies.count == 1)
  }

  @Test(arguments: ["", "# nothing", "---\n", "trusted-proxy: []\n"])
  func `a configuration file may be empty`(text: String) throws {
    #expect(fault(text) == "")
  }

  @Test(arguments: [
    ("port: 1\nprot: 2", "stratus.yaml:2: there is no setting 'prot'"),
    ("port: many", "stratus.yaml:1: the value 'many' is invalid for 'port'"),
    ("host: a\n\nport: 70000", "stratus.yaml:3: port '70000' must be 0 to 65535"),
    ("port: -1", "stratus.yaml:1: port '-1' must be 0 to 65535"),
    ("trace-ratio: 1.5", "stratus.yaml:1: trace-ratio '1.5' must be 0 to 1"),
    ("writers-per-zone: 0", "stratus.yaml:1: writers-per-zone '0' must be 1 or more"),
    ("unheld-bytes-per-user: 0", "stratus.yaml:1: unheld-bytes-per-user '0' must be 1 or more"),
    ("unheld-bytes-per-store: 0", "stratus.yaml:1: unheld-bytes-per-store '0' must be 1 or more"),
    ("signature-window: 0", "stratus.yaml:1: signature-window '0' must be 1 to"),
    ("audit-days: 0", "stratus.yaml:1: audit-days '0' must be 1 to"),
    ("grace-period: -1", "stratus.yaml:1: grace-period '-1' must be 0 to"),
    ("tls-key: /k", "stratus.yaml:1: tls-key needs tls-certificate, too"),
    ("trusted-proxy: [x]", "stratus.yaml:1: trusted-proxy 'x' is neither an address nor a range"),
    ("port: [1, 2]", "stratus.yaml:1: 'port' takes one value, not a list"),
    ("trusted-proxy: [[10.0.0.1]]", "stratus.yaml:1: the list of 'trusted-proxy'"),
    ("limits:\n  port: 1", "stratus.yaml:1: 'limits' takes a value; settings have no groups"),
    ("port:", "stratus.yaml:1: 'port' has no value"), ("port: ~", "stratus.yaml:1: 'port' has no"),
    ("port: 1\nport: 2", "stratus.yaml:1: 'port' is in the file twice"),
    ("- port", "stratus.yaml:1: the file contains no settings"),
    ("port 9090", "stratus.yaml:1: the file contains no settings"),
    ("--port: 1", "stratus.yaml:1: a setting's name is that of an option"),
    ("Port: 1", "stratus.yaml:1: a setting's name"), ("port=1: 2", "stratus.yaml:1: a setting's"),
    ("config: other.yaml", "stratus.yaml:1: 'config' belongs on the command line only"),
    ("help: x", "stratus.yaml:1: 'help' belongs"), ("host: \"a\nport: 1", "stratus.yaml:"),
    ("a: &x [*x]", "stratus.yaml:"), ("port: 1\n---\nport: 2", "stratus.yaml:"),
    ("\thost: a", "stratus.yaml:1: "), ("unknown: []", "stratus.yaml:1: "),
  ])
  func `the error for a faulty configuration file begins with the line of the fault`(
    text: String, beginning: String
  ) {
    #expect(fault(text).hasPrefix(beginning), "\(fault(text))")
  }

  @Test func `the error for a configuration file reports every faulty setting`() throws {
    let faults = try file("prot: 1\nport: 2\nhots: a\nhead-timeout: x\n").faults
    #expect(faults.map(\.line) == [1, 3, 4])
  }
}
