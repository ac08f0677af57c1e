import ArgumentParser
import Foundation
import StratusWire

/// `stratus account`.
struct AccountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account",
    abstract: "Create, configure, list, disable, restrict, export, import and delete accounts.",
    discussion: "'stratus account devices' shows the state of a user's devices.",
    subcommands: [
      Create.self, Invite.self, Configure.self, List.self, Disable.self, Enable.self,
      Restrict.self, Unrestrict.self, AccountDevicesCommand.self, ExportAccountCommand.self,
      ImportAccountCommand.self, DeleteAccountCommand.self, ReceiptsCommand.self,
    ])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create an account and print its e-mail address.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The account's e-mail address.")
    var email: String

    @Flag(help: "Read the account's password from one line of standard input.")
    var passwordStdin = false

    @Flag(
      help: """
        Make an account for tests. In the console, members of the team can act in its name and see \
        its data. An existing account never becomes a test account.
        """)
    var test = false

    func run() async throws {
      let password = passwordStdin ? try AccountCommand.readPassword() : nil
      _ = try await server.send(
        CreateAccount.self, .init(email: email, password: password, isTest: test))
      say(email.lowercased())
    }
  }

  struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Invite a person to create an account, by a mail or by a printed link.",
      discussion: """
        The person opens the link within a week and chooses a password. The server needs \
        --sign-up invited or --sign-up open.
        """)

    @OptionGroup var server: ServerOptions

    @Argument(help: "The person's e-mail address.")
    var email: String

    @Flag(help: "Print the link of the invitation, and send no mail.")
    var print = false

    func run() async throws {
      let response = try await server.send(
        InviteAccount.self, .init(email: email, isMailed: !print))
      say(response.url ?? "invited \(email.lowercased())")
    }
  }

  struct Configure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: """
        Set an account's password, name and discoverability, or remove its second factor.
        """,
      discussion: """
        A new password signs out the account's browsers and apps. The first password of an account \
        does not sign out its apps. Users of the same apps can find a discoverable user by e-mail \
        address, by verified telephone number and by user record name, and see the name. Make a \
        user discoverable only if the user agrees.
        """)

    @OptionGroup var server: ServerOptions

    @Argument(help: "The account's e-mail address.")
    var email: String

    @Flag(help: "Read the account's password from one line of standard input.")
    var passwordStdin = false

    @Flag(
      help: "Remove the second factor and the recovery codes of a user who has lost both.")
    var removeSecondFactor = false

    @Option(help: "The user's first name. An empty text removes it.")
    var givenName: String?

    @Option(help: "The user's last name. An empty text removes it.")
    var familyName: String?

    @Option(
      help: "Whether other users can find the user: yes or no. They cannot until this is set.")
    var discoverable: Decision?

    enum Decision: String, ExpressibleByArgument { case yes, no }

    func run() async throws {
      let changesProfile = givenName != nil || familyName != nil || discoverable != nil
      guard passwordStdin || removeSecondFactor || changesProfile else {
        throw Failure(
          "give --password-stdin and the password on standard input, --remove-second-factor, "
            + "--discoverable, --given-name or --family-name")
      }
      let password = passwordStdin ? try AccountCommand.readPassword() : nil
      _ = try await server.send(
        ConfigureAccount.self,
        .init(
          email: email, password: password, removesSecondFactor: removeSecondFactor,
          givenName: givenName, familyName: familyName,
          isDiscoverable: discoverable.map { $0 == .yes }))
    }
  }

  /// Reads one line, which a terminal does not show.
  ///
  /// - Throws: ``Failure`` if there is no line.
  fileprivate static func readPassword() throws -> String {
    var shown = termios()
    let isTerminal = tcgetattr(STDIN_FILENO, &shown) == 0
    if isTerminal {
      complain("password:")
      var hidden = shown
      hidden.c_lflag &= ~tcflag_t(ECHO)
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    }
    defer { if isTerminal { tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown) } }
    guard let line = readLine(), !line.isEmpty else {
      throw Failure("there is no password on standard input; write it there as one line")
    }
    return line
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
        let marks = [
          account.isDisabled ? "disabled" : nil, account.isRestricted ? "restricted" : nil,
        ]
        .compactMap { $0 }.joined(separator: ", ")
        say(marks.isEmpty ? account.email : "\(account.email) (\(marks))")
      }
    }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Disable an account immediately, and keep its data.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The account's e-mail address.")
    var email: String

    func run() async throws {
      _ = try await server.send(DisableAccount.self, .init(email: email))
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Enable a disabled account. Its sessions continue.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The account's e-mail address.")
    var email: String

    func run() async throws {
      _ = try await server.send(EnableAccount.self, .init(email: email))
    }
  }
  struct Restrict: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Restrict an account: its data is kept, and every request for data is refused.",
      discussion: """
        The user's notifications stop. The user can still sign in on the account page.
        """)

    @OptionGroup var server: ServerOptions

    @Argument(help: "The account's e-mail address.")
    var email: String

    func run() async throws {
      _ = try await server.send(RestrictAccount.self, .init(email: email))
    }
  }

  struct Unrestrict: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End the restriction of an account. Its sessions continue.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The account's e-mail address.")
    var email: String

    func run() async throws {
      _ = try await server.send(UnrestrictAccount.self, .init(email: email))
    }
  }
}
