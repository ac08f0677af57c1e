import ArgumentParser
import Foundation
import StratusTransport
import StratusWire

/// `stratus env`: prints shell commands that set the variables with which a program calls the
/// server.
struct EnvCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "env",
    abstract: "Print the shell exports for the server that runs on the data folder.",
    discussion: """
      Use the command as eval "$(stratus env)". The exports of a development server include a \
      container and its tokens.
      """)

  @OptionGroup var data: DataOption

  func run() async throws {
    let server = try ManagementFile.read(in: data)
    for line in exports(of: server) { say(line) }
    let keys = DeviceKeys.location(
      environmentVariables: ProcessInfo.processInfo.environment)
    guard server.webAuthToken != nil, let keys,
      FileManager.default.fileExists(atPath: keys.path)
    else { return }
    say("export STRATUS_KEYS=\(inShell(keys.absoluteURL.path))")
  }
}

/// Returns the shell commands that set the address and the tokens of a server.
func exports(of server: ManagementFile) -> [String] {
  var lines = ["export STRATUS_URL=\(inShell(server.serverURL ?? server.url))"]
  guard let apiToken = server.apiToken, let webAuthToken = server.webAuthToken else {
    return lines
  }
  lines.append("export STRATUS_CONTAINER=\(DevCommand.container)")
  lines.append("export STRATUS_ENVIRONMENT=development")
  lines.append("export STRATUS_API_TOKEN=\(inShell(apiToken))")
  lines.append("export STRATUS_WEB_AUTH_TOKEN=\(inShell(webAuthToken))")
  return lines
}
