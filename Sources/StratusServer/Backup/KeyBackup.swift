public import Foundation
import StratusDomain
import StratusSQLite

/// Copies the server's keys, and restores a copy.
///
/// The backup of the data leaves the keys out, because a thief with the keys and the data could
/// sign in as any user.
public enum KeyBackup {
  /// One key of the file, without its secret bytes.
  public struct Item: Sendable, Equatable {
    public let purpose: String
    /// The number of the key. The keys of one purpose are numbered from 1.
    public let number: UInt32
    /// The first eight hex digits of the SHA-256 of the key, by which two files can be compared.
    public let digest: String
  }

  /// Returns the keys of a data folder or of a copy.
  ///
  /// - Throws: ``BackupFailure`` if the file is missing or damaged.
  public static func items(ofFile file: URL) throws(BackupFailure) -> [Item] {
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw BackupFailure("there is no key file at \(file.path)")
    }
    do { return try KeyFile.items(in: file) } catch {
      throw BackupFailure("\(error)")
    }
  }

  /// The key file of a data folder.
  public static func file(in data: URL) -> URL { KeyFile.location(in: data) }

  /// Writes a copy of a data folder's keys. Only the owner of the copy can read it. A server may
  /// use the folder at the same time.
  ///
  /// - Throws: ``BackupFailure`` if there are no keys, if they are damaged, or if the target
  ///   exists.
  public static func copy(of data: URL, to target: URL) throws(BackupFailure) {
    try write(KeyFile.location(in: data), to: target)
  }

  /// Puts a copy of the keys into a data folder that has no keys.
  ///
  /// - Throws: ``BackupFailure`` if the copy is missing or damaged, or if the folder has keys.
  public static func restore(_ file: URL, to data: URL) throws(BackupFailure) {
    try write(file, to: KeyFile.location(in: data))
  }

  private static func write(_ file: URL, to target: URL) throws(BackupFailure) {
    if FileManager.default.fileExists(atPath: target.path) {
      throw BackupFailure("\(target.path) exists already: move it away, or choose another name")
    }
    guard let bytes = FileManager.default.contents(atPath: file.path) else {
      throw BackupFailure("there is no key file at \(file.path)")
    }
    _ = try items(ofFile: file)
    do {
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try OwnerFile.write(Array(bytes), to: target)
    } catch {
      throw BackupFailure("the keys cannot be written to \(target.path): \(error)")
    }
    DataFolder.flushNames(in: target.deletingLastPathComponent())
  }
}
