import ArgumentParser
import StratusWire

/// `stratus api-token`.
struct APITokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "api-token", abstract: "Make API tokens.", subcommands: [Create.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a token that lets an app call; prints 64 hex digits.")

    @OptionGroup var server: ServerOptions

    @Option(help: "The container's ID.")
    var container: String

    @Option(help: "development or production.")
    var environment: ContainerEnvironment

    func run() async throws {
      let response = try await server.send(
        CreateAPIToken.self, .init(containerID: container, environment: environment))
      say(response.token)
    }
  }
}

/// `stratus web-token`.
struct WebTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web-token", abstract: "Make web auth tokens.", subcommands: [Create.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a ckWebAuthToken, with which scripts and tests call as an account.")

    @OptionGroup var server: ServerOptions

    @Option(help: "The account's e-mail address.")
    var account: String

    @Option(help: "The container's ID.")
    var container: String

    @Option(help: "development or production.")
    var environment: ContainerEnvironment

    func run() async throws {
      let response = try await server.send(
        CreateWebToken.self,
        .init(email: account, containerID: container, environment: environment))
      say(response.token)
    }
  }
}
