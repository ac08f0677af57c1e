import ArgumentParser
import Foundation
import StratusWire

/// `stratus schema`.
struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Export, import, compare and deploy schemas.",
    discussion: """
      Schema files are in CloudKit's schema language (.ckdb). A fault is printed as \
      FILE:LINE:COLUMN: error: SENTENCE.

      Exit status: 0 for success; 1 for a failure, such as a missing server; 2 for a faulty file \
      or a refused change, after which nothing has changed; 3 if 'diff' found differences; 64 for \
      a wrong command line.
      """,
    subcommands: [
      Export.self, Import.self, Validate.self, Diff.self, Deploy.self, Reset.self,
      IndexesCommand.self, RetireCommand.self, RenameCommand.self, DropCommand.self,
      RetiringCommand.self,
    ])

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the schema of an environment in the format of a schema file.")

    @OptionGroup var server: ServerOptions

    @Option(help: "The container's ID.")
    var container: String

    @Option(help: "The environment: development or production.")
    var environment: ContainerEnvironment

    @Option(help: "The file to write. Default: standard output.")
    var output: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      let response = try await server.send(
        ExportSchema.self, .init(containerID: container, environment: environment))
      if json { return say(json: response) }
      guard let output else { return write(response.schema) }
      do {
        try Data(response.schema.utf8).write(to: URL(fileURLWithPath: output))
      } catch {
        throw Failure("the file '\(output)' cannot be written; name another with --output")
      }
    }
  }

  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Import the schema of a file into the development environment.",
      discussion: """
        Record types and fields that the file lacks are removed with their values. The import is \
        refused if production has one of them.
        """)

    @OptionGroup var change: SchemaChangeOptions

    @Argument(help: "The schema file, or - for standard input.")
    var file: String

    func run() async throws {
      try await change.run(file: file, in: .development)
    }
  }

  struct Validate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check whether a file could be imported or deployed, without changing anything.")

    @OptionGroup var change: SchemaChangeOptions

    @Option(help: "The environment: development or production.")
    var environment: ContainerEnvironment = .development

    @Argument(help: "The schema file, or - for standard input.")
    var file: String

    func run() async throws {
      let report = try await change.report(file: file, in: environment, isDryRun: true)
      try change.finish(report, file: file) { _ in say("the schema is valid") }
    }
  }

  struct Diff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show what an import or a deployment would change.",
      discussion: "Without a file, development is compared with production.")

    @OptionGroup var change: SchemaChangeOptions

    @Option(help: "The environment that would change: development or production.")
    var environment: ContainerEnvironment = .production

    @Argument(help: "The schema file, or - for standard input.")
    var file: String?

    func run() async throws {
      let report = try await change.report(file: file, in: environment, isDryRun: true)
      try change.finish(report, file: file) { report in
        for step in report.steps { say(step) }
      }
      if !report.steps.isEmpty { throw ExitCode(3) }
    }
  }

  struct Deploy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Deploy the development schema, or the schema of a file, to production.",
      discussion: """
        Without a file, production gets everything that only development has, and the grants of \
        development. With a file, production gets exactly the file's index options and grants. \
        Types and fields are only added, and never removed; see 'stratus schema retire'.
        """)

    @OptionGroup var change: SchemaChangeOptions

    @Argument(help: "The schema file, or - for standard input. Default: the development schema.")
    var file: String?

    func run() async throws { try await change.run(file: file, in: .production) }
  }

  struct Reset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: """
        Reset the development schema to that of production, and remove all development data.
        """)

    @OptionGroup var server: ServerOptions

    @Option(help: "The container's ID.")
    var container: String

    @Flag(help: "Confirm the removal of all development data. Only a backup can restore it.")
    var yes = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      guard yes else {
        throw Failure("this removes all development data of '\(container)'; confirm it with --yes")
      }
      let report = try await server.send(ResetSchema.self, .init(containerID: container))
      if json { return say(json: report) }
      say("development has the schema of production and no data")
    }
  }
}
