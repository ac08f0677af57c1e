public import Foundation
public import StratusDomain
import StratusWire

/// The paths in a data folder, and in a copy of a data folder.
extension DataFolder {
  static let registryName = "server.sqlite"

  /// The path of the server's registry file.
  public static func registry(in folder: URL) -> URL {
    folder.appendingPathComponent(registryName)
  }

  /// Returns the path of a store's file.
  public static func file(of address: StoreAddress, in folder: URL) -> URL {
    self.folder(of: address.container, in: folder)
      .appendingPathComponent(address.environment.rawValue + ".sqlite")
  }

  static func folder(of container: String, in folder: URL) -> URL {
    folder.appendingPathComponent(container, isDirectory: true)
  }

  /// Returns the stores of a folder, in order of their names.
  ///
  /// - Throws: an error if the folder cannot be read.
  public static func stores(in folder: URL) throws -> [StoreAddress] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return names.filter(isSafe).sorted().flatMap { container in
      ContainerEnvironment.allCases.map {
        StoreAddress(container: container, environment: $0)
      }
    }.filter { FileManager.default.fileExists(atPath: file(of: $0, in: folder).path) }
  }

  /// Flushes a folder, so that the names of its files are on disk.
  ///
  /// SQLite flushes the names of its own files, but not the names of the folders that contain them.
  ///
  /// - Returns: whether the flush succeeded.
  @discardableResult
  public static func flushNames(in folder: URL) -> Bool {
    let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return false }
    defer { Foundation.close(descriptor) }
    return fsync(descriptor) == 0
  }
}
