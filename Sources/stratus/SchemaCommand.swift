import ArgumentParser
import StratusWire

/// `stratus schema`.
struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Bring a schema from development to production.",
    subcommands: [Deploy.self])

  struct Deploy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add to production the record types, fields and index marks that development has.")

    @OptionGroup var server: ServerOptions

    @Option(help: "The container's ID.")
    var container: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      let response = try await server.send(DeploySchema.self, .init(containerID: container))
      if json { return say(json: response) }
      for type in response.recordTypes { say("type \(type)") }
      for field in response.fields { say("field \(field)") }
      for index in response.indexes { say("index \(index)") }
      if response.recordTypes.isEmpty, response.fields.isEmpty, response.indexes.isEmpty {
        say("production has everything already")
      }
    }
  }
}
