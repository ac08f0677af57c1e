import ArgumentParser
import Foundation

/// The option for the data folder of a server on this machine. Many commands have it.
struct DataOption: ParsableArguments {
  @Option(
    name: .customLong("data"),
    help: "The server's data folder. Default: STRATUS_DATA, then .stratus.")
  var path: String?

  /// Whether the operator has named the folder.
  var isNamed: Bool {
    path != nil || ProcessInfo.processInfo.environment["STRATUS_DATA"]?.isEmpty == false
  }

  /// The path of the folder.
  var folder: String {
    if let path { return path }
    let named = ProcessInfo.processInfo.environment["STRATUS_DATA"] ?? ""
    return named.isEmpty ? ".stratus" : named
  }

  var url: URL { URL(fileURLWithPath: folder) }
}
