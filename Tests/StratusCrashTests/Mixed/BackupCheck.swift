import Foundation

/// Creates a backup of a running server, restores the backup, and starts a server with the restored
/// data. Then compares the records with the ledger.
struct BackupCheck {
  let binary: ServerBinary
  let data: URL
  /// A folder for the copies. If the data is on a small file system (``SoakMachine/disk``), this
  /// folder is on another one.
  let folder: URL
  let environment: [String: String]
  let ledger: Ledger

  /// - Returns: the faults that were found.
  func run() async throws -> [String] {
    let copy = folder.appendingPathComponent("copy")
    let restored = folder.appendingPathComponent("restored")
    defer {
      try? FileManager.default.removeItem(at: copy)
      try? FileManager.default.removeItem(at: restored)
    }
    let before = ledger.lanes.map(\.acknowledgedCount)
    try await command("backup", copy.path, "--data", data.path)
    let lanes = ledger.lanes
    try await command("restore", copy.path, "--data", restored.path)
    let server = try await ServerProcess.start(binary, data: restored, environment: environment)
    let connection = server.connect(as: "restored")
    var faults: [String] = []
    for zone in CrashZones.ids.indices {
      var reader = Reader(zone: zone)
      try await reader.readAll(over: connection)
      for (index, lane) in lanes.enumerated() where lane.zone == zone {
        if lane.place(of: lane.part(of: reader.records), from: before[index]) == nil {
          faults.append("a backup has a state of \(lane.prefix) that did not exist at its time")
        }
      }
    }
    server.killHard()
    await server.waitForEnd()
    return faults
  }

  private func command(_ arguments: String...) async throws {
    let process = Process()
    process.executableURL = binary.file
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    let text = try await AssetLine.apart {
      try process.run()
      let bytes = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return String(decoding: bytes, as: UTF8.self)
    }
    guard process.terminationStatus == 0 else {
      throw ServerProcess.CannotStart(description: "stratus \(arguments[0]): \(text)")
    }
  }
}
