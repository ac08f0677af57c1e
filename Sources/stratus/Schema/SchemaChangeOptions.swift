import ArgumentParser
import Foundation
import StratusWire

/// The options of the commands that compare or change a schema.
struct SchemaChangeOptions: ParsableArguments {
  @OptionGroup var server: ServerOptions

  @Option(help: "The container's ID.")
  var container: String

  @Flag(help: "Only print what would change.")
  var dryRun = false

  @Flag(help: "Refuse a change that would remove an index option, a permission or values.")
  var strict = false

  @Flag(help: "Print JSON.")
  var json = false

  /// Changes a schema, and prints the steps of the change.
  func run(file: String?, in environment: ContainerEnvironment) async throws {
    let report = try await report(file: file, in: environment, isDryRun: dryRun)
    try finish(report, file: file) { report in
      for step in report.steps { say(step) }
      if report.steps.isEmpty {
        say("\(environment.rawValue) has everything already")
      } else if dryRun {
        say("nothing has changed: this was a dry run")
      }
    }
  }

  func report(
    file: String?, in environment: ContainerEnvironment, isDryRun: Bool
  ) async throws -> SchemaReport {
    try await server.send(
      ChangeSchema.self,
      .init(
        containerID: container, environment: environment, schema: try file.map(Self.text),
        isDryRun: isDryRun, isStrict: strict))
  }

  /// Prints the report of a change.
  ///
  /// - Parameter body: prints the steps of a change that was not refused.
  /// - Throws: `ExitCode(2)` if the file is faulty or if the change was refused.
  func finish(
    _ report: SchemaReport, file: String?, _ body: (SchemaReport) -> Void
  ) throws {
    if json {
      say(json: report)
    } else {
      for message in report.warnings { complain(message.line(of: file, as: "warning")) }
      for message in report.faults + report.refusals {
        complain(message.line(of: file, as: "error"))
      }
      if report.isValid { body(report) }
    }
    if !report.isValid { throw ExitCode(2) }
  }

  /// Reads the text of a schema file.
  ///
  /// - Parameter path: the path of the file, or `-` for standard input.
  static func text(of path: String) throws -> String {
    let data =
      path == "-"
      ? FileHandle.standardInput.readDataToEndOfFile() : FileManager.default.contents(atPath: path)
    guard let data else {
      throw Failure("there is no file '\(path)'; give a schema file, or - for standard input")
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw Failure("the file '\(path)' is not UTF-8; save it in that encoding")
    }
    return text
  }
}

extension SchemaReport.Message {
  /// Returns the message in the format that editors and CI services recognise.
  fileprivate func line(of file: String?, as kind: String) -> String {
    guard let line, let column else { return "\(kind): \(reason)" }
    let name = file == "-" || file == nil ? "<stdin>" : file ?? ""
    return "\(name):\(line):\(column): \(kind): \(reason)"
  }
}

/// Writes a text to standard output without changing it.
func write(_ text: String) { StandardOutput.put(Array(text.utf8)) }
