import ArgumentParser
import StratusWire

/// `stratus account`.
struct AccountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "Make, list, disable and enable accounts.",
    subcommands: [Create.self, List.self, Disable.self, Enable.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make an account; prints its address.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The account's e-mail address.")
    var email: String

    func run() async throws {
      _ = try await server.send(CreateAccount.self, .init(email: email))
      say(email.lowercased())
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List accounts.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      let response = try await server.send(ListAccounts.self, .init())
      if json { return say(json: response) }
      for account in response.accounts {
        say(account.isDisabled ? "\(account.email) (disabled)" : account.email)
      }
    }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shut an account out at once; its data stays.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The account's e-mail address.")
    var email: String

    func run() async throws {
      _ = try await server.send(DisableAccount.self, .init(email: email))
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let an account in again; its sessions continue.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The account's e-mail address.")
    var email: String

    func run() async throws {
      _ = try await server.send(EnableAccount.self, .init(email: email))
    }
  }
}
