public import Foundation

/// The folder for data that must outlast the process.
public enum StateFolder {
  /// Returns the folder, according to the environment variables of a process: `STRATUS_STATE`, else
  /// `$XDG_STATE_HOME/stratus`, else `~/.local/state/stratus`.
  ///
  /// - Returns: nil if no variable names a folder, and there is no home folder.
  public static func location(environmentVariables variables: [String: String]) -> URL? {
    if let path = variables["STRATUS_STATE"], !path.isEmpty {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    if let folder = variables["XDG_STATE_HOME"], folder.hasPrefix("/") {
      return URL(fileURLWithPath: folder).appendingPathComponent("stratus", isDirectory: true)
    }
    guard let home = variables["HOME"], !home.isEmpty else { return nil }
    return URL(fileURLWithPath: home)
      .appendingPathComponent(".local/state/stratus", isDirectory: true)
  }
}
