import ArgumentParser
import StratusWire

/// `stratus env`: what a program must know to call the server.
struct EnvCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "env",
    abstract: "Print the exports of the server that runs on the data folder.",
    discussion: """
      A server for developers names a container and its tokens, too: eval "$(stratus env)".
      """)

  @OptionGroup var data: DataOption

  func run() async throws {
    for line in exports(of: try ManagementFile.read(in: data)) { say(line) }
  }
}

/// What a shell must export for programs to find a server.
func exports(of server: ManagementFile) -> [String] {
  var lines = ["export STRATUS_URL=\(server.serverURL ?? server.url)"]
  guard let apiToken = server.apiToken, let webAuthToken = server.webAuthToken else {
    return lines
  }
  lines.append("export STRATUS_CONTAINER=\(DevCommand.container)")
  lines.append("export STRATUS_ENVIRONMENT=development")
  lines.append("export STRATUS_API_TOKEN=\(apiToken)")
  lines.append("export STRATUS_WEB_AUTH_TOKEN=\(webAuthToken)")
  return lines
}
