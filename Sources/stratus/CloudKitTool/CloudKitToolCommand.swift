import ArgumentParser
import StratusWire

/// `stratus cktool`, which is also the command of a binary with the name `cktool`. It has the verbs
/// of Apple's tool.
struct CloudKitToolCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cktool",
    abstract: """
      Run the verbs of Apple's cktool on a Stratus server, with the same options and formats.
      """,
    discussion: """
      Management verbs find the server as 'stratus' does: by --data or STRATUS_DATA, or by --url \
      with a management token. Record verbs take the server's URL and the app's API token from \
      STRATUS_URL and STRATUS_API_TOKEN, or from the credentials file. They also need a user token.
      """,
    version: "0.1.0",
    subcommands: [
      SaveTokenVerb.self, RemoveTokenVerb.self, GetTeamsVerb.self, ExportSchemaVerb.self,
      ImportSchemaVerb.self, ValidateSchemaVerb.self, ResetSchemaVerb.self,
      CreateRecordVerb.self, UpdateRecordVerb.self, FetchRecordVerb.self, QueryRecordsVerb.self,
      DeleteRecordVerb.self, DeleteRecordsVerb.self, CreateZoneVerb.self, DeleteZoneVerb.self,
      CreateSubscriptionVerb.self, DeleteSubscriptionVerb.self,
    ])
}

/// The options with which a management verb finds its server.
struct CloudKitToolServer: ParsableArguments {
  @OptionGroup var data: DataOption

  @Option(help: "The server's management address, which replaces --data.")
  var url: String?

  @Option(
    name: .shortAndLong,
    help: """
      The management token. Default: CLOUDKIT_MANAGEMENT_TOKEN, then a saved token, then the token \
      in the data folder.
      """)
  var token: String?

  func send<E: Endpoint>(_ endpoint: E.Type, _ request: E.Request) async throws -> E.Response {
    try await location().send(endpoint, request)
  }

  private func location() throws -> ManagementFile {
    let given = try token ?? CloudKitToolTokens.find(.management)
    guard let url else {
      var file = try ManagementFile.read(in: data)
      if let given { file.token = given }
      return file
    }
    guard let given else { throw CloudKitToolTokens.missing(.management) }
    return ManagementFile(url: url, token: given)
  }
}

/// The options of the schema verbs that select a container.
struct CloudKitToolContainer: ParsableArguments {
  @Option(help: "The team's ID. A Stratus server has one team and accepts any ID.")
  var teamID: String?

  @Option(help: "The container's ID.")
  var containerID: String
}

/// `get-teams`.
struct GetTeamsVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get-teams", abstract: "List the teams of the management token.")

  @OptionGroup var server: CloudKitToolServer

  func run() async throws {
    // The answer is not used. The request only checks that the server accepts the token.
    _ = try await server.send(ListContainers.self, .init())
    say("STRATUS: Stratus")
  }
}
