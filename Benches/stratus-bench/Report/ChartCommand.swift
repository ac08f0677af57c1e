import ArgumentParser
import Foundation

/// `stratus-bench chart`: draws a chart of an earlier run.
struct ChartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chart", abstract: "Draw the figures of an earlier run as an SVG picture.")

  @Argument(help: "The file that --json wrote.")
  var figures: String

  @Argument(help: "The picture to write.")
  var picture: String

  func run() throws {
    try Chart(run: RecordedRun.read(figures)).write(to: picture)
  }
}
