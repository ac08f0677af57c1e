public import Foundation

/// The account keys that this device has, newest first, in a file that only its owner can read.
///
/// The file is `~/.config/stratus/keys.json`, or the file that `STRATUS_KEYS` names. It contains a
/// JSON object with an array `accountKeys` of recovery keys.
public final class DeviceKeys: Sendable {
  private struct Contents: Codable {
    var accountKeys: [String]
  }

  /// The file of the keys. nil means that there is no location for the file, so that this device
  /// has no keys.
  public let file: URL?

  public init(file: URL?) { self.file = file }

  /// Returns the location of the keys file, according to the environment variables of a process.
  ///
  /// - Returns: nil if no variable names a folder, and there is no home folder.
  public static func location(environmentVariables variables: [String: String]) -> URL? {
    if let path = variables["STRATUS_KEYS"], !path.isEmpty { return URL(fileURLWithPath: path) }
    return CredentialsFile.location(environmentVariables: variables)?
      .deletingLastPathComponent().appendingPathComponent("keys.json")
  }

  /// Returns the keys. There are none if there is no file.
  ///
  /// - Throws: ``KeyFailure/unusable(_:)`` if the file is damaged, or if users other than its owner
  ///   can read it.
  public func all() throws(KeyFailure) -> [AccountKey] {
    guard let file else { return [] }
    return try Self.read(file)
  }

  /// Returns the newest key. If there is none, a key is created and saved.
  ///
  /// - Parameter randomness: returns the given number of cryptographically random bytes.
  /// - Throws: ``KeyFailure/unusable(_:)``, for example if there is no location to save the key.
  public func newest(
    orDrawnFrom randomness: (Int) -> [UInt8]
  ) throws(KeyFailure) -> AccountKey {
    let fresh = try AccountKey(drawnFrom: randomness)
    let keys = try change { $0.isEmpty ? [fresh] : $0 }
    return keys.first ?? fresh
  }

  /// Inserts a key before the existing keys. The file is on disk when the method returns.
  ///
  /// - Throws: ``KeyFailure/unusable(_:)``.
  public func add(_ key: AccountKey) throws(KeyFailure) {
    _ = try change { keys in [key] + keys.filter { $0 != key } }
  }

  private func change(
    _ body: ([AccountKey]) -> [AccountKey]
  ) throws(KeyFailure) -> [AccountKey] {
    // NB: without a file, a key would be registered with the server and then be lost when the
    // process ends.
    guard let file else {
      throw .unusable("there is no home folder to keep the account's key in; set STRATUS_KEYS")
    }
    let lock = try FileLock(beside: file)
    defer { lock.release() }
    let keys = try Self.read(file)
    let changed = body(keys)
    if changed != keys { try Self.write(changed, to: file) }
    return changed
  }

  private static func read(_ file: URL) throws(KeyFailure) -> [AccountKey] {
    let files = FileManager.default
    guard files.fileExists(atPath: file.path) else { return [] }
    let attributes = try? files.attributesOfItem(atPath: file.path)
    guard let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue, mode & 0o077 == 0
    else { throw .unusable("\(file.path) must be readable by its owner alone (mode 0600)") }
    guard let data = try? Data(contentsOf: file),
      let contents = try? JSONDecoder().decode(Contents.self, from: data)
    else { throw .unusable("\(file.path) cannot be read as a key file") }
    var keys: [AccountKey] = []
    for text in contents.accountKeys {
      guard let key = RecoveryKey(text: text) else {
        throw .unusable("\(file.path) holds a key that is damaged")
      }
      keys.append(key.accountKey)
    }
    return keys
  }

  private static func write(_ keys: [AccountKey], to file: URL) throws(KeyFailure) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    do {
      let data = try encoder.encode(Contents(accountKeys: keys.map { RecoveryKey($0).text }))
      try PrivateFile.replace(file, with: data)
    } catch {
      throw .unusable("\(file.path) cannot be written: \(error.localizedDescription)")
    }
  }
}
