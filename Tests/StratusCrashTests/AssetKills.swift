import Foundation
import StratusAccounts
import StratusTesting
import StratusTransport
import StratusWire

/// Uploads files while the server and the client are killed at random points, and checks the
/// remaining data.
struct AssetKills {
  /// A file during its upload.
  private struct Going: Sendable {
    let recordName: String
    /// The path of the upload URL. The port is left out, because it changes with each start.
    let path: String
    let bytes: [UInt8]
  }

  let binary: ServerBinary
  let data: URL
  private var chance: SeededChance
  private var saved: [String: [UInt8]] = [:]
  private(set) var serverKills = 0
  private(set) var clientKills = 0
  /// The number of requests that continued an upload after a kill.
  private(set) var resumed = 0
  private(set) var faults: [String] = []

  init(binary: ServerBinary, data: URL, seed: UInt64) {
    self.binary = binary
    self.data = data
    chance = SeededChance(seed: seed)
  }

  var filesCount: Int { saved.count }

  /// Uploads files until the given number of kills is reached, and then completes the last upload.
  /// Afterwards, compares the files on the server with the sent bytes.
  mutating func run(kills: Int) async throws {
    var server = try await ServerProcess.start(binary, data: data)
    var going: Going?
    while serverKills + clientKills < kills {
      let file: Going
      if let known = going { file = known } else { file = try await begin(on: server) }
      going = file
      let state = try await Self.state(of: file, on: server)
      if let done = state.singleFile {
        try await save(file, done, over: server.connect(as: "saver"))
        going = nil
        continue
      }
      let received = Int(state.received ?? 0)
      if received > 0 { resumed += 1 }
      if Bool.random(using: &chance) {
        try await send(file, from: received, to: server) {}
        clientKills += 1
        if Bool.random(using: &chance) {
          try await Self.waitForBytes(of: file, after: received, on: server)
        }
      } else {
        let dying = server
        try await send(file, from: received, to: server) { dying.killHard() }
        serverKills += 1
        await server.waitForEnd()
        server = try await ServerProcess.start(binary, data: data)
      }
    }
    if let file = going { try await end(file, on: server) }
    try await compare(on: server)
    server.killHard()
    await server.waitForEnd()
    try await sweep()
  }

  private mutating func begin(on server: ServerProcess) async throws -> Going {
    let name = "file-\(saved.count)"
    let answer = try await server.connect(as: "beginner").send(
      UploadAssets.self,
      UploadAssets.Request(
        zoneID: nil,
        fields: [.init(recordName: name, recordType: "Crate", fieldName: "contents")]),
      to: .private, isIdempotent: true)
    guard let url = answer.targets.first.flatMap({ URL(string: $0.url) }) else {
      throw AssetLine.Broken()
    }
    let count = Int.random(in: 200_000...6_000_000, using: &chance)
    // NB: the bytes are one random block with a changing number. Random values for all bytes would
    // take much processor time, which would delay the other tests.
    let block = (0..<4_096).map { _ in UInt8.random(in: .min ... .max, using: &chance) }
    var bytes: [UInt8] = []
    while bytes.count < count {
      bytes.append(UInt8(truncatingIfNeeded: bytes.count >> 12))
      bytes += block
    }
    bytes.removeLast(bytes.count - count)
    return Going(recordName: name, path: url.path, bytes: bytes)
  }

  private static func port(of server: ServerProcess) throws -> UInt16 {
    guard let port = URL(string: server.url)?.port else { throw AssetLine.Broken() }
    return UInt16(port)
  }

  private static func state(
    of file: Going, on server: ServerProcess
  ) async throws -> UploadAnswer {
    let port = try port(of: server)
    return try UploadAnswer(
      jsonBytes: await AssetLine.apart { try AssetLine.ask("GET", file.path, port: port) })
  }

  /// Waits until a slow server has stored the bytes that it has received. The number of questions
  /// is limited, because the client may have sent no bytes.
  private static func waitForBytes(
    of file: Going, after received: Int, on server: ServerProcess
  ) async throws {
    for _ in 0..<200 {
      let state = try await state(of: file, on: server)
      if state.singleFile != nil || Int(state.received ?? 0) > received { return }
    }
  }

  /// Sends a range up to a random byte, or sends the whole range and waits for a short time. Then
  /// calls `kill` and disconnects.
  private mutating func send(
    _ file: Going, from received: Int, to server: ServerProcess,
    kill: @escaping @Sendable () -> Void
  ) async throws {
    let rest = file.bytes.count - received
    let isLast = rest < 100_000 || Int.random(in: 0..<3, using: &chance) == 0
    let count = isLast ? rest : Int.random(in: 1..<rest, using: &chance)
    let isCut = Int.random(in: 0..<3, using: &chance) > 0
    let cut = isCut ? Int.random(in: 0...count, using: &chance) : count
    let glances = isCut ? 0 : Int.random(in: 0...30_000, using: &chance)
    let range = "bytes \(received)-\(received + count - 1)/\(file.bytes.count)"
    let head = AssetLine.head(
      "PUT", file.path, ["Content-Length: \(count)", "Content-Range: \(range)"])
    let port = try Self.port(of: server)
    try await AssetLine.apart {
      let line = try AssetLine(port: port)
      line.send(head[...])
      line.send(file.bytes[received..<received + cut])
      line.glance(times: glances)
      kill()
      line.close()
    }
  }

  /// Sends a file from an offset to its end.
  private static func send(
    _ file: Going, from received: Int, to server: ServerProcess
  ) async throws -> UploadAnswer {
    let range = "bytes \(received)-\(file.bytes.count - 1)/\(file.bytes.count)"
    let head = AssetLine.head(
      "PUT", file.path,
      ["Content-Length: \(file.bytes.count - received)", "Content-Range: \(range)"])
    let port = try port(of: server)
    return try UploadAnswer(
      jsonBytes: await AssetLine.apart {
        let line = try AssetLine(port: port)
        defer { line.close() }
        line.send(head[...])
        line.send(file.bytes[received...])
        return try line.answer().body
      })
  }

  private mutating func end(_ file: Going, on server: ServerProcess) async throws {
    var state = try await Self.state(of: file, on: server)
    // NB: bytes of the earlier connection may still arrive. The server then refuses the range and
    // returns the right offset.
    var attempts = 0
    while state.singleFile == nil, attempts < 1_000 {
      attempts += 1
      state = try await Self.send(file, from: Int(state.received ?? 0), to: server)
    }
    guard let done = state.singleFile else {
      faults.append("\(file.recordName) cannot be completed: \(state)")
      return
    }
    try await save(file, done, over: server.connect(as: "saver"))
  }

  private mutating func save(
    _ file: Going, _ asset: Asset, over connection: Connection
  ) async throws {
    if asset.size != Int64(file.bytes.count) {
      faults.append("\(file.recordName) has \(asset.size) bytes, not \(file.bytes.count)")
    }
    let fields = FieldsJSON([("contents", .asset(asset))])
    let answer = try await connection.send(
      ModifyRecords.self,
      ModifyRecords.Request(
        zoneID: nil,
        operations: [
          RecordOperation(
            .create, recordName: file.recordName, recordType: "Crate",
            fields: try JSONView(parsing: fields.text))
        ]),
      to: .private, isIdempotent: false)
    guard case .record = answer.records.first else {
      faults.append("\(file.recordName) cannot be saved: \(answer.records)")
      return
    }
    saved[file.recordName] = file.bytes
  }

  private mutating func compare(on server: ServerProcess) async throws {
    for (name, bytes) in saved.sorted(by: { $0.key < $1.key }) {
      let answer = try await server.connect(as: "reader").send(
        LookupRecords.self,
        LookupRecords.Request(zoneID: nil, recordNames: [name]),
        to: .private, isIdempotent: true)
      guard case .record(let record) = answer.records.first,
        case .asset(let asset)? = try record.fields.values().first?.value,
        let url = asset.downloadURL.flatMap({ URL(string: $0) })
      else {
        faults.append("\(name) is gone")
        continue
      }
      let (path, port) = (url.path, try Self.port(of: server))
      let found = try await AssetLine.apart { try AssetLine.ask("GET", path, port: port) }
      if found != bytes { faults.append("\(name) has \(found.count) bytes, not the sent ones") }
    }
  }

  /// Runs a server in this process, deletes unused asset files without a grace period, and counts
  /// the remaining files.
  private mutating func sweep() async throws {
    let server = try await TestServer(onDiskIn: data)
    // Opens the store with a request. The server deletes files only of open stores.
    _ = try await Connection(
      to: Connection.Address(
        url: "http://stratus.test", container: "iCloud.test.crash", environment: .development,
        deviceID: "sweeper"),
      apiToken: server.developer.apiToken, webAuthToken: server.developer.webAuthToken,
      exchange: server.exchange, timing: ServerProcess.timing()
    ).send(ListZones.self, ListZones.Request(), to: .private, isIdempotent: true)
    await server.sweepAssets(graceSeconds: 0)
    await server.stop()
    var left = 0
    for path in try FileManager.default.subpathsOfDirectory(atPath: data.path)
    where path.contains(".assets/") {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: data.path + "/" + path, isDirectory: &isFolder)
      if isFolder.boolValue { continue }
      left += 1
      if path.contains("/uploads/") { faults.append("an unused upload was not deleted: \(path)") }
    }
    if left != saved.count {
      faults.append("\(left) files are left, but records use \(saved.count)")
    }
  }
}
