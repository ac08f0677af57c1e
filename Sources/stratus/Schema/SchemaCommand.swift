import ArgumentParser
import Foundation
import StratusWire

/// `stratus schema`.
struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Bring a schema from development to production.",
    discussion: """
      Schema files are in CloudKit's schema language (.ckdb). A fault is printed as \
      FILE:LINE:COLUMN: error: SENTENCE.

      Exit status: 0 done; 1 no server, or another failure; 2 the file is faulty, or the change is \
      refused and nothing has changed; 3 'diff' found differences; 64 a wrong command line.
      """,
    subcommands: [
      Export.self, Import.self, Validate.self, Diff.self, Deploy.self, Reset.self,
      IndexesCommand.self, RetireCommand.self, RenameCommand.self, DropCommand.self,
      RetiringCommand.self,
    ])

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the schema of an environment as a file.")

    @OptionGroup var server: ServerOptions

    @Option(help: "The container's ID.")
    var container: String

    @Option(help: "development or production.")
    var environment: ContainerEnvironment

    @Option(help: "Where to write the file; default: standard output.")
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
      abstract: "Give the development environment the schema of a file.",
      discussion: """
        Record types and fields that the file lacks are removed with their values, unless \
        production has them.
        """)

    @OptionGroup var change: SchemaChangeOptions

    @Argument(help: "The schema file; - for the input.")
    var file: String

    func run() async throws {
      try await change.run(file: file, in: .development)
    }
  }

  struct Validate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say whether a file could be imported or deployed; change nothing.")

    @OptionGroup var change: SchemaChangeOptions

    @Option(help: "development or production.")
    var environment: ContainerEnvironment = .development

    @Argument(help: "The schema file; - for the input.")
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

    @Argument(help: "The schema file; - for the input.")
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
      abstract: "Bring the development schema, or the schema of a file, to production.",
      discussion: """
        From development, production gets what it lacks, and the grants. From a file, production \
        gets exactly the file's index options and grants. Types and fields are only added; see \
        'stratus schema retire'.
        """)

    @OptionGroup var change: SchemaChangeOptions

    @Argument(help: "The schema file; - for the input; none: the development schema.")
    var file: String?

    func run() async throws { try await change.run(file: file, in: .production) }
  }

  struct Reset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give development the schema of production, and remove all development data.")

    @OptionGroup var server: ServerOptions

    @Option(help: "The container's ID.")
    var container: String

    @Flag(help: "Really remove all development data: nothing brings it back but a backup.")
    var yes = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      guard yes else {
        throw Failure("this removes all development data of '\(container)'; say --yes to do it")
      }
      let report = try await server.send(ResetSchema.self, .init(containerID: container))
      if json { return say(json: report) }
      say("development has the schema of production and no data")
    }
  }
}
