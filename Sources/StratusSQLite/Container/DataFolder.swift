public import Foundation
import StratusDomain
import StratusWire

/// The folder that contains all data of a server. A lock prevents a second server from using it.
public final class DataFolder: Sendable {
  /// The absolute path of the folder.
  public let url: URL
  /// Holds the lock until ``unlock()``, ``deinit`` or the end of the process.
  private let lock: FileHandle

  /// Creates the folder if necessary, restricts access to its owner, and locks it.
  ///
  /// - Throws: ``DataFolderError``.
  public init(_ url: URL) throws(DataFolderError) {
    self.url = url.standardizedFileURL
    let path = self.url.path
    do {
      try FileManager.default.createDirectory(
        at: self.url, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw DataFolderError(
        "The data folder \(path) cannot be created: \(error.localizedDescription)")
    }
    let lockPath = self.url.appendingPathComponent("lock").path
    let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor < 0 {
      throw DataFolderError(
        "The data folder \(path) cannot be written to: \(String(cString: strerror(errno))).")
    }
    lock = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      throw DataFolderError(
        """
        Another Stratus server is using the data folder \(path): stop it first, or choose another \
        folder with --data.
        """)
    }
    try Self.close(path)
  }

  /// Restricts access to the owner. The folder may have been created with open permissions, and it
  /// contains secrets.
  private static func close(_ path: String) throws(DataFolderError) {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & 0o077 == 0 { return }
    if chmod(path, 0o700) != 0 {
      throw DataFolderError(
        """
        The data folder \(path) is open to other users, and cannot be closed to them: \
        \(String(cString: strerror(errno))).
        """)
    }
  }

  /// Releases the lock for another server. All files in the folder must already be closed.
  public func unlock() { flock(lock.fileDescriptor, LOCK_UN) }

  /// The path of the server's registry file.
  var registryPath: String { Self.registry(in: url).path }

  /// Returns the path of a store's file, and creates the file's folder if necessary.
  ///
  /// The container ID was validated before. This is the last check before a path is used in the
  /// file system.
  ///
  /// - Returns: nil if the ID leads to another folder or to one of the server's own files.
  func storePath(
    container: String, environment: ContainerEnvironment
  ) throws -> String? {
    guard Self.isSafe(container) else { return nil }
    let folder = Self.folder(of: container, in: url)
    if !FileManager.default.fileExists(atPath: folder.path) {
      do {
        try FileManager.default.createDirectory(
          at: folder, withIntermediateDirectories: false,
          attributes: [.posixPermissions: 0o700])
      } catch CocoaError.fileWriteFileExists {
        // The container's other store was opened at the same time, and has created the folder.
      }
      Self.flushNames(in: url)
    }
    return Self.file(of: StoreAddress(container: container, environment: environment), in: url)
      .path
  }

  /// Removes a container's folder.
  ///
  /// The folder is renamed first, so that an interrupted removal cannot leave a container with only
  /// some of its files.
  ///
  /// - Throws: an error if the folder cannot be renamed.
  func removeContainer(_ container: String) throws {
    guard Self.isSafe(container) else { return }
    let folder = Self.folder(of: container, in: url)
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    let removed = url.appendingPathComponent(Self.removedPrefix + container, isDirectory: true)
    try? FileManager.default.removeItem(at: removed)
    try FileManager.default.moveItem(at: folder, to: removed)
    Self.flushNames(in: url)
    try? FileManager.default.removeItem(at: removed)
  }

  /// The path of a file that is not yet complete.
  var partialPath: String { url.appendingPathComponent(Self.partialName).path }

  /// Deletes the remains of an interrupted removal or compaction.
  func removeLeftovers() {
    let names = try? FileManager.default.contentsOfDirectory(atPath: url.path)
    for name in names ?? []
    where name.hasPrefix(Self.removedPrefix) || name.hasPrefix(Self.partialName) {
      try? FileManager.default.removeItem(at: url.appendingPathComponent(name))
    }
  }

  /// NB: the prefix begins with a dot, because no container ID begins with a dot.
  private static let removedPrefix = ".removed-"
  private static let partialName = ".partial.sqlite"

  /// Whether a store has a file. This method creates no file.
  func hasStore(container: String, environment: ContainerEnvironment) -> Bool {
    if !Self.isSafe(container) { return false }
    let address = StoreAddress(container: container, environment: environment)
    return FileManager.default.fileExists(atPath: Self.file(of: address, in: url).path)
  }

  /// The names of the server's files in the data folder, besides the registry file and the stores.
  private static let ownNames: Set = ["lock", "keys", "management.json", "management.sock"]

  static func isSafe(_ container: String) -> Bool {
    guard (1...255).contains(container.utf8.count), !container.hasPrefix(".") else {
      return false
    }
    if ownNames.contains(container) || container.hasPrefix(registryName) { return false }
    return container.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }
}

/// The reason why a data folder cannot be used, as a sentence that tells the operator what to do.
public struct DataFolderError: Error, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

extension DataFolder {
  /// Refuses a folder that contains stores but no registry file. The accounts and users of a new
  /// registry would not match the stores.
  ///
  /// - Throws: ``DataFolderError``.
  public func requireRegistry() throws(DataFolderError) {
    var status = stat()
    if stat(registryPath, &status) == 0, status.st_size > 0 { return }
    guard let stores = try? Self.stores(in: url), let first = stores.first else { return }
    throw DataFolderError(
      """
      \(Self.registryName) is missing from the data folder \(url.path), though there is data of \
      \(first.container): restore it from a backup, or move the containers' folders away.
      """)
  }
}
