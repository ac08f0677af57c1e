import ArgumentParser
import Foundation

/// The data folder of a server on this machine, the same for every command.
struct DataOption: ParsableArguments {
  @Option(
    name: .customLong("data"),
    help: "The server's data folder; default: STRATUS_DATA, then .stratus.")
  var path: String?

  /// Where the folder is.
  var folder: String {
    if let path { return path }
    let named = ProcessInfo.processInfo.environment["STRATUS_DATA"] ?? ""
    return named.isEmpty ? ".stratus" : named
  }

  var url: URL { URL(fileURLWithPath: folder) }
}
