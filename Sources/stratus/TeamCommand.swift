public import ArgumentParser
public import StratusWire

/// `stratus team`.
struct TeamCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "team", abstract: "Manage the team: the accounts that may use the console.",
    subcommands: [Add.self, List.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add an account to the team, or change the role of a member.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The account's e-mail address.")
    var email: String

    @Option(help: "The role: owner, developer, operator or auditor.")
    var role: TeamRole

    @Option(
      help: """
        The ID of a container to which a developer or auditor is limited. The option may be given \
        several times. Default: all containers.
        """)
    var container: [String] = []

    func run() async throws {
      _ = try await server.send(
        AddMember.self,
        .init(email: email, role: role, containerIDs: container.isEmpty ? nil : container))
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the members with their roles and containers.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      let response = try await server.send(ListMembers.self, .init())
      if json { return say(json: response) }
      for member in response.members {
        let containers = member.containerIDs?.joined(separator: " ") ?? "(all containers)"
        say("\(member.email) \(member.role.rawValue) \(containers)")
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a member from the team. The account stays.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The member's e-mail address.")
    var email: String

    func run() async throws {
      _ = try await server.send(RemoveMember.self, .init(email: email))
    }
  }
}

extension TeamRole: ExpressibleByArgument {}
