import ArgumentParser
import StratusWire

/// `stratus api-token`.
struct APITokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "api-token", abstract: "Create, list and revoke API tokens.",
    subcommands: [Create.self, List.self, Revoke.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a token for the requests of an app and print it (64 hex digits).",
      discussion: """
        The server stores only a hash of the token, so the token cannot be printed again.
        """)

    @OptionGroup var server: ServerOptions

    @Option(help: "The container's ID.")
    var container: String

    @Option(help: "The environment: development or production.")
    var environment: ContainerEnvironment

    @Option(help: "The token's name in lists.")
    var name: String?

    @Option(
      name: .customLong("origin"),
      help: """
        An origin whose web pages may use the token, such as https://app.example.org. The option \
        can be repeated. Default: all origins. In production, the sign-in page accepts only tokens \
        with an origin or a callback URL.
        """)
    var origins: [String] = []

    @Option(
      help: """
        The URL to which the browser goes after a sign-in. Default: the sign-in page sends a \
        message to the window that opened it.
        """)
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
      abstract: "List the API tokens with their IDs.")

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
      abstract: "Revoke an API token immediately.")

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
    commandName: "web-token", abstract: "Create, list and revoke web auth tokens.",
    subcommands: [Create.self, List.self, Revoke.self, RotateKey.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a ckWebAuthToken, with which a program acts for an account.")

    @OptionGroup var server: ServerOptions

    @Option(help: "The account's e-mail address.")
    var account: String

    @Option(help: "The container's ID.")
    var container: String

    @Option(help: "The environment: development or production.")
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
      abstract: "List sessions. A session is one sign-in with its tokens.")

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
      abstract: "End a session and all its web auth tokens.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The session's ID, as 'stratus web-token list' shows it.")
    var id: String

    func run() async throws {
      _ = try await server.send(RevokeWebToken.self, .init(id: id))
    }
  }

  struct RotateKey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: """
        Sign tokens and asset URLs with new keys. The previous keys stay valid until the next \
        rotation.
        """)

    @OptionGroup var server: ServerOptions

    func run() async throws {
      _ = try await server.send(RotateWebTokenKey.self, .init())
    }
  }
}
