import ArgumentParser
import StratusWire

/// `stratus role`.
struct RoleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "role", abstract: "List, grant and revoke the custom roles of users.",
    discussion: """
      A custom role is part of the schema. The schema also defines the permissions of the role for \
      each record type in the public database.
      """,
    subcommands: [List.self, Grant.self, Revoke.self])

  /// The container and the environment of a command about roles, quotas, versions or devices.
  struct Place: ParsableArguments {
    @Option(help: "The container's ID.")
    var container: String

    @Option(help: "The environment: development or production.")
    var environment: ContainerEnvironment
  }

  /// The account or the key, and the role that a command changes.
  struct Assignment: ParsableArguments {
    @OptionGroup var place: Place

    @Option(help: "The account's e-mail address.")
    var account: String?

    @Option(help: "The ID of a server-to-server key, instead of an account.")
    var serverKey: String?

    @Argument(help: "The name of the role in the schema.")
    var role: String

    var request: GrantRole.Request {
      .init(
        containerID: place.container, environment: place.environment, email: account,
        serverKeyID: serverKey, role: role)
    }

    func validate() throws {
      guard (account == nil) != (serverKey == nil) else {
        throw ValidationError("give either --account or --server-key")
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the users that have roles, and the roles that no user has.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var place: Place

    @Option(help: "The e-mail address of the account to list. Default: all accounts.")
    var account: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      let response = try await server.send(
        ListRoles.self,
        .init(containerID: place.container, environment: place.environment, email: account))
      if json { return say(json: response) }
      for user in response.users {
        let name = user.email ?? user.serverKeyID ?? user.userRecordName
        say("\(name) \(user.roles.joined(separator: " "))")
      }
      if account != nil { return }
      let given = Set(response.users.flatMap(\.roles))
      for role in response.roles where !given.contains(role) { say("(no user) \(role)") }
    }
  }

  struct Grant: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give a role to the user of an account or key, from the user's next request on.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var assignment: Assignment

    func run() async throws { _ = try await server.send(GrantRole.self, assignment.request) }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take a role from the user of an account or key, from the user's next request on.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var assignment: Assignment

    func run() async throws { _ = try await server.send(RevokeRole.self, assignment.request) }
  }
}
