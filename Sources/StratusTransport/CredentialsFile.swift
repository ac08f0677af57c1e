public import Foundation
import StratusWire

/// What `stratus login` leaves for the programs of one user: `~/.config/stratus/credentials.json`.
///
/// A JSON object with the keys `url`, `container`, `environment`, `apiToken`, `webAuthToken`, each
/// of which may be absent. It is readable by its owner only.
public enum CredentialsFile {
  private struct Contents: Codable {
    var url: String?
    var container: String?
    var environment: String?
    var apiToken: String?
    var webAuthToken: String?
  }

  /// Where the file lies, by a process's environment.
  ///
  /// - Returns: nil where there is no home folder.
  public static func location(environmentVariables variables: [String: String]) -> URL? {
    if let folder = variables["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
      return URL(fileURLWithPath: folder).appendingPathComponent("stratus/credentials.json")
    }
    guard let home = variables["HOME"], !home.isEmpty else { return nil }
    return URL(fileURLWithPath: home).appendingPathComponent(".config/stratus/credentials.json")
  }

  /// Reads the file.
  ///
  /// - Returns: nil where there is none, where it is no such JSON, or where others than its owner
  ///   may read it: a token that was open to others is not used.
  public static func read(at location: URL) -> ServerSettings? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: location.path)
    guard let permissions = (attributes?[.posixPermissions] as? NSNumber)?.intValue,
      permissions & 0o077 == 0,
      let data = try? Data(contentsOf: location),
      let contents = try? JSONDecoder().decode(Contents.self, from: data)
    else { return nil }
    return ServerSettings(
      url: contents.url.flatMap(URL.init(string:)), container: contents.container,
      environment: contents.environment.flatMap(ContainerEnvironment.init),
      apiToken: contents.apiToken, webAuthToken: contents.webAuthToken)
  }

  /// Writes the file, and the folders above it where they are missing.
  ///
  /// - Throws: Foundation's file errors.
  public static func write(_ settings: ServerSettings, to location: URL) throws {
    let contents = Contents(
      url: settings.url?.absoluteString, container: settings.container,
      environment: settings.environment?.rawValue, apiToken: settings.apiToken,
      webAuthToken: settings.webAuthToken)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let data = try encoder.encode(contents)
    let files = FileManager.default
    try files.createDirectory(
      at: location.deletingLastPathComponent(), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    // Made empty with its permissions first, so that the token is never readable by others.
    if files.fileExists(atPath: location.path) { try files.removeItem(at: location) }
    guard
      files.createFile(
        atPath: location.path, contents: nil, attributes: [.posixPermissions: 0o600])
    else { throw CocoaError(.fileWriteUnknown) }
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: location.path)
    let handle = try FileHandle(forWritingTo: location)
    try handle.write(contentsOf: data)
    try handle.close()
  }
}
