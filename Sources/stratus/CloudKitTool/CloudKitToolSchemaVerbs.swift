import ArgumentParser
import Foundation
import StratusWire

/// `export-schema`.
struct ExportSchemaVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export-schema", abstract: "Print the schema of an environment.")

  @OptionGroup var server: CloudKitToolServer
  @OptionGroup var container: CloudKitToolContainer

  @Option(help: "The environment: development or production.")
  var environment: ContainerEnvironment

  @Option(help: "The file to write. Default: standard output.")
  var outputFile: String?

  func run() async throws {
    let response = try await server.send(
      ExportSchema.self, .init(containerID: container.containerID, environment: environment))
    guard let outputFile else { return write(response.schema) }
    do {
      try Data(response.schema.utf8).write(to: URL(fileURLWithPath: outputFile))
    } catch {
      throw Failure("the file '\(outputFile)' cannot be written; give another --output-file")
    }
  }
}

/// The options of `import-schema` and `validate-schema`.
struct CloudKitToolSchemaFile: ParsableArguments {
  @OptionGroup var server: CloudKitToolServer
  @OptionGroup var container: CloudKitToolContainer

  @Option(help: "The environment: development or production.")
  var environment: ContainerEnvironment

  @Option(help: "The schema file.")
  var file: String

  /// - Throws: `ExitCode`, after this method has printed the message that Apple's tool prints.
  func send(isDryRun: Bool) async throws {
    let report = try await server.send(
      ChangeSchema.self,
      .init(
        containerID: container.containerID, environment: environment,
        schema: try SchemaChangeOptions.text(of: file), isDryRun: isDryRun))
    guard let first = (report.faults + report.refusals).first else { return }
    let place =
      first.line.flatMap { line in first.column.map { " at line \(line), column \($0)" } } ?? ""
    complain("❌ Schema validation failed: \(first.reason)\(place).")
    throw ExitCode.failure
  }
}

/// `import-schema`.
struct ImportSchemaVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import-schema",
    abstract: "Import the schema of a file into an environment.")

  @OptionGroup var schema: CloudKitToolSchemaFile

  @Flag(help: "Only validate the file.")
  var validate = false

  func run() async throws {
    try await schema.send(isDryRun: validate)
    if validate { say("✅ Schema is valid.") }
  }
}

/// `validate-schema`.
struct ValidateSchemaVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate-schema", abstract: "Check whether a file could be imported.")

  @OptionGroup var schema: CloudKitToolSchemaFile

  func run() async throws {
    try await schema.send(isDryRun: true)
    say("✅ Schema is valid.")
  }
}

/// `reset-schema`.
struct ResetSchemaVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset-schema",
    abstract: """
      Reset the development schema to that of production, and remove all development data.
      """)

  @OptionGroup var server: CloudKitToolServer
  @OptionGroup var container: CloudKitToolContainer

  func run() async throws {
    _ = try await server.send(ResetSchema.self, .init(containerID: container.containerID))
  }
}
