import ArgumentParser
import StratusWire

/// `stratus api-token`.
struct APITokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "api-token", abstract: "Make, list and revoke API tokens.",
    subcommands: [Create.self, List.self, Revoke.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a token that lets an app call; prints 64 hex digits.",
      discussion: "The server keeps only a hash of the token: it is printed this once.")

    @OptionGroup var server: ServerOptions

    @Option(help: "The container's ID.")
    var container: String

    @Option(help: "development or production.")
    var environment: ContainerEnvironment

    @Option(help: "Its name in lists.")
    var name: String?

    @Option(
      name: .customLong("origin"),
      help: """
        An origin whose web pages may use the token, such as https://app.example.org; may be \
        given several times. None: all origins, and in production no web page can sign users in.
        """)
    var origins: [String] = []

    @Option(help: "Where the browser goes after a sign-in; none: the page posts a message.")
    var callbackURL: String?

    @Flag(help: "Print JSON, with the token's ID.")
    var json = false

    func run() async throws {
      let response = try await server.send(
        CreateAPIToken.self,
        .init(
          containerID: container, environment: environment, name: name,
          allowedOrigins: origins.isEmpty ? nil : origins, callbackURL: callbackURL))
      if environment == .production, origins.isEmpty, callbackURL == nil {
        complain(
          "note: without --origin or --callback-url, apps cannot use the sign-in pages with this "
            + "token")
      }
      if json { return say(json: response) }
      say(response.token)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List API tokens by their IDs.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      let response = try await server.send(ListAPITokens.self, .init())
      if json { return say(json: response) }
      for token in response.tokens {
        let origins = token.allowedOrigins?.joined(separator: ",") ?? "any origin"
        say("\(token.id) \(token.containerID) \(token.environment) \(origins) \(token.name)")
      }
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End an API token at once.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The token's ID, as 'stratus api-token list' shows it.")
    var id: String

    func run() async throws {
      _ = try await server.send(RevokeAPIToken.self, .init(id: id))
    }
  }
}

/// `stratus web-token`.
struct WebTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web-token", abstract: "Make, list and revoke web auth tokens.",
    subcommands: [Create.self, List.self, Revoke.self, RotateKey.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a ckWebAuthToken, with which programs send requests as an account.")

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

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List sessions: each is one sign-in and its tokens.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      let response = try await server.send(ListWebTokens.self, .init())
      if json { return say(json: response) }
      for session in response.sessions {
        say("\(session.id) \(session.email) \(session.containerID) \(session.environment)")
      }
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a session, and with it all its web auth tokens.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The session's ID, as 'stratus web-token list' shows it.")
    var id: String

    func run() async throws {
      _ = try await server.send(RevokeWebToken.self, .init(id: id))
    }
  }

  struct RotateKey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Seal tokens and asset URLs with new keys; those of the keys before last end.")

    @OptionGroup var server: ServerOptions

    func run() async throws {
      _ = try await server.send(RotateWebTokenKey.self, .init())
    }
  }
}
