public import Foundation
import StratusWire

/// The credentials file that `stratus login` writes for the programs of one user:
/// `~/.config/stratus/credentials.json`.
///
/// The file contains a JSON object with the optional keys `url`, `container`, `environment`,
/// `apiToken` and `webAuthToken`. Only its owner can read it. A program that receives a newer token
/// of the same sign-in replaces the token and sets the key `signIn`.
public enum CredentialsFile {
  private struct Contents: Codable {
    var url: String?
    var container: String?
    var environment: String?
    var apiToken: String?
    var webAuthToken: String?
    /// The digests of the sign-in's first token and of the token in the file. If a program replaces
    /// the token but not these digests, the second digest no longer matches the token. Then the
    /// first digest is ignored, too.
    var signIn: [String]?

    /// The digest of the sign-in's first token. nil means that the file contains the first token.
    var firstDigest: String? {
      guard let signIn, signIn.count == 2, let webAuthToken,
        signIn[1] == Connection.digest(of: webAuthToken)
      else { return nil }
      return signIn[0]
    }
  }

  /// Returns the location of the file, according to the environment variables of a process.
  ///
  /// - Returns: nil if no variable names a folder, and there is no home folder.
  public static func location(environmentVariables variables: [String: String]) -> URL? {
    if let folder = variables["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
      return URL(fileURLWithPath: folder).appendingPathComponent("stratus/credentials.json")
    }
    guard let home = variables["HOME"], !home.isEmpty else { return nil }
    return URL(fileURLWithPath: home).appendingPathComponent(".config/stratus/credentials.json")
  }

  /// Reads the file.
  ///
  /// - Returns: nil if the file is missing or invalid, or if users other than its owner can read
  ///   it. A token that others can read must not be used.
  public static func read(at location: URL) -> ServerSettings? {
    guard let data = ownersData(at: location),
      let contents = try? JSONDecoder().decode(Contents.self, from: data)
    else { return nil }
    return ServerSettings(
      url: contents.url.flatMap(URL.init(string:)), container: contents.container,
      environment: contents.environment.flatMap(ContainerEnvironment.init),
      apiToken: contents.apiToken, webAuthToken: contents.webAuthToken,
      signIn: contents.firstDigest)
  }

  /// Returns the bytes of the file, or nil if users other than its owner can read it.
  private static func ownersData(at location: URL) -> Data? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: location.path)
    guard let permissions = (attributes?[.posixPermissions] as? NSNumber)?.intValue,
      permissions & 0o077 == 0
    else { return nil }
    return try? Data(contentsOf: location)
  }

  /// Replaces the token in the file by a newer token, if the file still has a token of the same
  /// sign-in. The other settings stay unchanged.
  ///
  /// - Parameters:
  ///   - token: the token that the server issued.
  ///   - signIn: the ``Connection/accountDigest`` of the connection that received the token.
  /// - Returns: whether the file now has the token.
  @discardableResult
  public static func renew(
    _ token: String, signIn: String, at location: URL
  ) -> Bool {
    guard let lock = try? FileLock(beside: location) else { return false }
    defer { lock.release() }
    guard let data = ownersData(at: location),
      let contents = try? JSONDecoder().decode(Contents.self, from: data),
      let old = contents.webAuthToken,
      signIn == contents.firstDigest ?? Connection.digest(of: old),
      var members = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
    else { return false }
    members["webAuthToken"] = token
    members["signIn"] = [signIn, Connection.digest(of: token)]
    guard
      let renewed = try? JSONSerialization.data(
        withJSONObject: members, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    else { return false }
    do { try PrivateFile.replace(location, with: renewed) } catch { return false }
    return true
  }

  /// Writes the file, and creates missing parent folders.
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
    try PrivateFile.replace(location, with: data)
  }
}
