import Foundation
import StratusAccounts
import StratusDomain
import StratusSQLite
import StratusWire
import Synchronization

/// The server's keys in a file that only its owner can read: `keys/server.keys` in the data folder.
///
/// Each line contains one key: its purpose, its number, and its bytes as hex digits. The file is
/// separate from the data, so that a backup of the data can omit it. Several processes may use the
/// file. Each call reads the file again, and a lock allows only one process at a time to change it.
final class KeyFile: SigningKeyStore {
  static let folderName = "keys"
  private static let name = "server.keys"

  private let file: URL?
  private let keys: Mutex<[String: [SigningKey]]>

  /// Returns the path of the file in a data folder.
  static func location(in data: URL) -> URL {
    data.appendingPathComponent(folderName, isDirectory: true).appendingPathComponent(name)
  }

  /// Creates a key store in memory, for tests.
  init() {
    file = nil
    keys = Mutex([:])
  }

  /// Opens the file of a data folder. The file is created when the first key is stored.
  ///
  /// - Throws: an error whose text is a sentence for the operator.
  init(data: URL) throws {
    let file = Self.location(in: data)
    self.file = file
    keys = Mutex(FileManager.default.fileExists(atPath: file.path) ? try Self.read(file) : [:])
  }

  /// Imports the secrets of an earlier version. A key that is already in the file is kept.
  ///
  /// - Parameter earlier: the secrets, by the names that the earlier version used.
  /// - Throws: `INTERNAL_ERROR` if the file cannot be written.
  func adopt(_ earlier: [String: [UInt8]]) throws(ServerError) {
    try change { keys in
      for (name, bytes) in earlier {
        let purpose = name.lowercased().replacing(" ", with: "-")
        if keys[purpose] == nil { keys[purpose] = [SigningKey(id: 1, bytes: bytes)] }
      }
    }
  }

  func keys(for purpose: String, orKeep fresh: [UInt8]) throws(ServerError) -> [SigningKey] {
    try change { keys in
      if keys[purpose] == nil { keys[purpose] = [SigningKey(id: 1, bytes: fresh)] }
      return keys[purpose] ?? []
    }
  }

  func rotate(_ purpose: String, to fresh: [UInt8]) throws(ServerError) {
    try change { keys in
      let newest = keys[purpose]?.first
      let id = (newest?.id ?? 0) &+ 1
      keys[purpose] = [SigningKey(id: id, bytes: fresh)] + (newest.map { [$0] } ?? [])
    }
  }

  /// Reads the keys again and changes them. The change is on disk when this method returns. If the
  /// file no longer exists, the method uses the keys in memory.
  private func change<Value: Sendable>(
    _ body: (inout [String: [SigningKey]]) -> Value
  ) throws(ServerError) -> Value {
    let result = keys.withLock { keys -> Result<Value, ServerError> in
      do {
        let lock = try file.map(KeyFileLock.init)
        defer { lock?.release() }
        if let file, FileManager.default.fileExists(atPath: file.path) {
          keys = try Self.read(file)
        }
        var changed = keys
        let value = body(&changed)
        if changed == keys { return .success(value) }
        if let file { try Self.write(changed, to: file) }
        keys = changed
        return .success(value)
      } catch {
        return .failure(.fault("the key file cannot be used", facts: ["error": "\(error)"]))
      }
    }
    return try result.get()
  }

  private static func read(_ file: URL) throws -> [String: [SigningKey]] {
    var keys: [String: [SigningKey]] = [:]
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 3, let id = UInt32(words[1]), let bytes = bytes(hex: words[2]) else {
        throw KeyFileFailure("the key file \(file.path) is damaged: restore it from a backup")
      }
      keys[String(words[0]), default: []].append(SigningKey(id: id, bytes: bytes))
    }
    return keys.mapValues { $0.sorted { $0.id > $1.id } }
  }

  /// Returns the keys of a file without their secret bytes, for operators.
  ///
  /// - Throws: an error whose text is a sentence for the operator.
  static func items(in file: URL) throws -> [KeyBackup.Item] {
    try read(file).sorted { $0.key < $1.key }.flatMap { purpose, keys in
      keys.map { key in
        let digest = hex(Array(Digest.sha256(key.bytes).prefix(4)))
        return KeyBackup.Item(purpose: purpose, number: key.id, digest: digest)
      }
    }
  }

  private static func write(_ keys: [String: [SigningKey]], to file: URL) throws {
    let folder = file.deletingLastPathComponent()
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let lines = keys.sorted { $0.key < $1.key }.flatMap { purpose, keys in
      keys.map { "\(purpose) \($0.id) \(hex($0.bytes))\n" }
    }
    try OwnerFile.write(Array(lines.joined().utf8), to: file)
    // NB: the names in this folder and in its parent must be flushed, because data that needs
    // these keys may be written immediately afterwards.
    DataFolder.flushNames(in: folder)
    DataFolder.flushNames(in: folder.deletingLastPathComponent())
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func bytes(hex: Substring) -> [UInt8]? {
    let digits = hex.compactMap(\.hexDigitValue)
    guard digits.count == hex.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map {
      UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
  }
}

/// A lock that allows only one process at a time to change the key file. The system releases the
/// lock of a killed process.
private struct KeyFileLock {
  private let descriptor: Int32

  /// Waits until no other process holds the lock.
  /// - Parameter file: the key file. The lock is another file beside it, because each change
  ///   replaces the key file.
  init(_ file: URL) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    descriptor = open(
      file.appendingPathExtension("lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    guard flock(descriptor, LOCK_EX) == 0 else {
      close(descriptor)
      throw CocoaError(.fileWriteUnknown)
    }
  }

  func release() { close(descriptor) }
}

/// The reason why the server's keys cannot be read, as a sentence for the operator.
struct KeyFileFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
