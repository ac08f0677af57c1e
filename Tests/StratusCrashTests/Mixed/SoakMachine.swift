import Foundation

/// Moves the clock and fills the disk of a server.
///
/// `scripts/soak mixed` builds a library that is preloaded into the server
/// (`scripts/soak-machine.c`). If the script may mount file systems, it also creates a small file
/// system for the data.
struct SoakMachine: Sendable {
  /// The library that the server preloads. If it is nil, the clock cannot be moved.
  let library: String?
  /// A small file system for the data. If it is nil, the library simulates a full disk by
  /// preventing files from growing.
  let disk: URL?
  /// The file through which the test sends commands to the library.
  private let orders: URL

  /// - Parameter folder: the folder for the file with the commands.
  init(variables: [String: String], folder: URL) throws {
    library = variables["STRATUS_SOAK_LIBRARY"].flatMap { $0.isEmpty ? nil : $0 }
    disk = variables["STRATUS_SOAK_DISK"].flatMap {
      $0.isEmpty ? nil : URL(fileURLWithPath: $0, isDirectory: true)
    }
    orders = folder.appendingPathComponent("machine")
    try Data(count: 16).write(to: orders)
  }

  /// The environment variables for the server.
  var environment: [String: String] {
    guard let library else { return [:] }
    return ["LD_PRELOAD": library, "STRATUS_SOAK_MACHINE": orders.path]
  }

  var canMoveClock: Bool { library != nil }
  var canFillDisk: Bool { library != nil || disk != nil }

  /// Sets the server's wall clock to the true time plus this many seconds.
  func moveClock(to seconds: Int64) throws { try order(seconds, at: 0) }

  func fillDisk() throws {
    guard let disk else { return try order(1, at: 8) }
    let ballast = disk.appendingPathComponent("ballast").path
    let file = open(ballast, O_CREAT | O_WRONLY, 0o600)
    guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
    defer { close(file) }
    // Large pieces fill most of the disk, and small pieces then fill the rest.
    for size in [1 << 20, 4_096] {
      let piece = [UInt8](repeating: 1, count: size)
      while write(file, piece, size) > 0 {}
    }
  }

  func emptyDisk() throws {
    guard let disk else { return try order(0, at: 8) }
    try FileManager.default.removeItem(at: disk.appendingPathComponent("ballast"))
  }

  /// NB: the file is changed in place, because the library has mapped it into memory.
  private func order(_ number: Int64, at offset: UInt64) throws {
    let file = try FileHandle(forUpdating: orders)
    defer { try? file.close() }
    try file.seek(toOffset: offset)
    try file.write(contentsOf: withUnsafeBytes(of: number.littleEndian) { Data($0) })
  }
}
