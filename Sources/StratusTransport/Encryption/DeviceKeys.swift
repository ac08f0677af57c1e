public import Foundation

/// The account keys this device has, newest first: a file that only its owner can read.
///
/// The file, `~/.config/stratus/keys.json` unless `STRATUS_KEYS` names another, holds a JSON object
/// with an array `accountKeys` of recovery keys.
public final class DeviceKeys: Sendable {
  private struct Contents: Codable {
    var accountKeys: [String]
  }

  /// nil: there is no place for one, so this device has no keys.
  public let file: URL?

  public init(file: URL?) { self.file = file }

  /// Where the file lies, by a process's environment.
  ///
  /// - Returns: nil where there is no home folder.
  public static func location(environmentVariables variables: [String: String]) -> URL? {
    if let path = variables["STRATUS_KEYS"], !path.isEmpty { return URL(fileURLWithPath: path) }
    return CredentialsFile.location(environmentVariables: variables)?
      .deletingLastPathComponent().appendingPathComponent("keys.json")
  }

  /// The keys; none where there is no file, or no place for one.
  ///
  /// - Throws: ``KeyFailure/unusable(_:)`` for a file that is damaged, or that others than its
  ///   owner may read.
  public func all() throws(KeyFailure) -> [AccountKey] {
    guard let file else { return [] }
    return try Self.read(file)
  }

  /// The newest key, made and kept if there is none.
  ///
  /// - Parameter randomness: draws so many bytes nobody can guess.
  /// - Throws: ``KeyFailure/unusable(_:)``, also where there is no place to keep it.
  public func newest(
    orDrawnFrom randomness: (Int) -> [UInt8]
  ) throws(KeyFailure) -> AccountKey {
    let fresh = try AccountKey(drawnFrom: randomness)
    let keys = try change { $0.isEmpty ? [fresh] : $0 }
    return keys.first ?? fresh
  }

  /// Puts a key in front of the others, on disk when it returns.
  ///
  /// - Throws: ``KeyFailure/unusable(_:)``.
  public func add(_ key: AccountKey) throws(KeyFailure) {
    _ = try change { keys in [key] + keys.filter { $0 != key } }
  }

  private func change(
    _ body: ([AccountKey]) -> [AccountKey]
  ) throws(KeyFailure) -> [AccountKey] {
    // NB: a key in memory would be registered, and its values lost with the process.
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
