import Foundation
import StratusTransport
import StratusWire
import Synchronization

@testable import StratusKit

/// A minimal server that stores the records and files of one zone.
final class AssetHost: Sendable {
  /// The way in which the server handles one request to a file's URL.
  enum Fate: Sendable {
    case passes
    /// The connection breaks after this many bytes of the body.
    case breaks(after: Int)
    case answerIsLost
    case isAnswered(status: Int)
    /// The server changes one byte of the answer.
    case isDamaged
    case fails(NetworkFailure)
  }

  private struct State {
    var uploads: [String: [UInt8]] = [:]
    var totals: [String: Int] = [:]
    var files: [String: [UInt8]] = [:]
    var records: [String: [String: FieldValue]] = [:]
    var tag = 1
    var addresses = 0
    var fates: [Fate] = []
    var log: [String] = []
    var running = 0
    var runningMax = 0
  }

  let server = FakeServer()
  private let state = Mutex(State())
  /// A closure that runs in the middle of each request to a file's URL.
  let inTheMiddle = Mutex<(@Sendable () async -> Void)?>(nil)

  init() {
    server.on(UploadAssets.self) { [unowned self] in targets($0) }
    server.on(RereferenceAssets.self) { [unowned self] in rereferenced($0) }
    server.on(ModifyRecords.self) { [unowned self] in try modified($0) }
    server.on(LookupRecords.self) { [unowned self] request in
      note("lookup")
      return RecordsResponse(records: request.items.map { .record(record($0.recordName)) })
    }
    server.onBytes { [unowned self] (request) async throws(NetworkFailure) in
      try await transfer(request)
    }
  }

  var database: CKDatabase { server.database }
  var log: [String] { state.withLock { $0.log } }
  var runningMax: Int { state.withLock { $0.runningMax } }
  /// The contents of the files, in arbitrary order.
  var files: [[UInt8]] { state.withLock { Array($0.files.values) } }
  func clearLog() { state.withLock { $0.log = [] } }
  func forgetFiles() { state.withLock { $0.files = [:] } }

  /// Sets the ways in which the server handles the next requests to files' URLs.
  func expect(_ fates: [Fate]) { state.withLock { $0.fates = fates } }
  func note(_ line: String) { state.withLock { $0.log.append(line) } }
  func value(_ name: String, _ field: String) -> FieldValue? {
    state.withLock { $0.records[name]?[field] }
  }

  /// Stores files in a field of a record on the server. If `isList` is false, the field holds only
  /// the first file.
  func put(_ name: String, _ field: String, _ contents: [[UInt8]], isList: Bool = false) throws {
    let assets = try contents.map { FieldValue.asset(try keep($0)) }
    state.withLock {
      $0.records[name, default: [:]][field] = isList ? .list(.asset, assets) : assets[0]
    }
  }

  private func keep(_ bytes: [UInt8]) throws -> Asset {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: url) }
    try Data(bytes).write(to: url)
    let checksum = Data(try FileChecksum.of(url)).base64EncodedString()
    state.withLock { $0.files[checksum] = bytes }
    return Asset(fileChecksum: checksum, size: Int64(bytes.count))
  }

  func record(_ name: String) -> RecordDictionary {
    let (fields, tag) = state.withLock { ($0.records[name] ?? [:], $0.tag) }
    let shown = fields.sorted { $0.key < $1.key }.map { ($0.key, Self.shown($0.value)) }
    return stored(name, tag: "t\(tag)", fields: FieldsJSON(shown))
  }

  private static func shown(_ value: FieldValue) -> FieldValue {
    switch value {
    case .asset(var asset):
      asset.receipt = nil
      asset.downloadURL =
        "https://cloud.example.org/assets/download/"
        + asset.fileChecksum.replacingOccurrences(of: "/", with: "_")
      return .asset(asset)
    case .list(let element, let values): return .list(element, values.map(shown))
    default: return value
    }
  }

  private func targets(_ request: UploadAssets.Request) -> UploadAssets.Response {
    note("addresses \(request.fields.count)")
    return UploadAssets.Response(
      targets: request.fields.map { field in
        let number = state.withLock { state in
          state.addresses += 1
          return state.addresses
        }
        return UploadAssets.Target(
          recordName: field.recordName ?? "", fieldName: field.fieldName,
          url: "https://cloud.example.org/assets/upload/\(number)")
      })
  }

  private func rereferenced(_ request: RereferenceAssets.Request) -> RereferenceAssets.Response {
    note("rereference \(request.fields.count)")
    return RereferenceAssets.Response(
      items: request.fields.map { field in
        let recordName = field.recordName ?? ""
        guard case .asset(var asset) = value(recordName, field.fieldName) else {
          return .failure(recordName: recordName, refusal(.notFound))
        }
        asset.receipt = "again"
        return .asset(asset)
      })
  }

  private func modified(_ request: ModifyRecords.Request) throws -> RecordsResponse {
    note("modify \(request.operations.compactMap(\.recordName).joined(separator: " "))")
    var items: [RecordItem] = []
    for operation in request.operations {
      let name = operation.recordName ?? ""
      for (key, value) in try Self.fields(of: operation) {
        state.withLock { $0.records[name, default: [:]][key] = value }
      }
      state.withLock { $0.tag += 1 }
      items.append(.record(record(name)))
    }
    return RecordsResponse(records: items)
  }

  private static func fields(
    of operation: RecordOperation
  ) throws -> [(key: String, value: FieldValue?)] {
    let object = try JSONSerialization.jsonObject(with: Data(operation.fieldsText.utf8))
    var fields: [(key: String, value: FieldValue?)] = []
    for (key, field) in object as? [String: [String: Any]] ?? [:] {
      guard !(field["value"] is NSNull) else {
        fields.append((key, nil))
        continue
      }
      let text = Array(try JSONSerialization.data(withJSONObject: [key: field]))
      fields.append((key, try FieldsJSON(text: text).values().first?.value))
    }
    return fields
  }

  private func transfer(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse {
    let fate = state.withLock { state in
      state.running += 1
      state.runningMax = max(state.runningMax, state.running)
      return state.fates.isEmpty ? Fate.passes : state.fates.removeFirst()
    }
    defer { state.withLock { $0.running -= 1 } }
    await inTheMiddle.withLock { $0 }?()
    let isUpload = request.url.path.hasPrefix("/assets/upload/")
    let name = request.url.lastPathComponent
    let range = request.headers[request.method == .get ? "Range" : "Content-Range"] ?? ""
    note("\(request.method.rawValue) \(isUpload ? "upload \(name)" : "download") \(range)")
    if Task.isCancelled { throw .cancelled }
    var answer = isUpload ? HTTPResponse(status: 200, body: []) : download(name, range)
    switch fate {
    case .passes: break
    case .isDamaged: answer.body[answer.body.count / 2] ^= 1
    case .fails(let failure): throw failure
    case .isAnswered(let status): return HTTPResponse(status: status, body: [])
    case .breaks(let count):
      if isUpload { _ = upload(request, name, range, Array(request.body.prefix(count))) }
      throw .lostAfterSending
    case .answerIsLost:
      if isUpload { _ = upload(request, name, range, request.body) }
      throw .lostAfterSending
    }
    return isUpload ? upload(request, name, range, request.body) : answer
  }

  private func upload(
    _ request: HTTPRequest, _ name: String, _ range: String, _ body: [UInt8]
  ) -> HTTPResponse {
    let parts = range.split { !$0.isNumber }.compactMap { Int($0) }
    let (bytes, isRight) = state.withLock { state in
      let known = state.uploads[name] ?? []
      let isRight = request.method == .get || (parts.first ?? 0) == known.count
      if request.method == .post && isRight {
        state.uploads[name] = known + body
        state.totals[name] = parts.last
      }
      return (state.uploads[name] ?? [], isRight)
    }
    let total = state.withLock { $0.totals[name] } ?? 0
    guard isRight else { return HTTPResponse(status: 409, body: []) }
    let isWhole = bytes.count == total && (request.method == .post || total > 0)
    guard isWhole, var asset = try? keep(bytes) else {
      return HTTPResponse(
        status: 200, body: UploadAnswer(received: Int64(bytes.count)).jsonBytes)
    }
    asset.receipt = "receipt \(name)"
    return HTTPResponse(status: 200, body: UploadAnswer(singleFile: asset).jsonBytes)
  }

  private func download(_ name: String, _ range: String) -> HTTPResponse {
    let checksum = name.replacingOccurrences(of: "_", with: "/")
    guard let bytes = state.withLock({ $0.files[checksum] }) else {
      return HTTPResponse(status: 404, body: [])
    }
    let parts = range.split { !$0.isNumber }.compactMap { Int($0) }
    guard parts.count == 2, parts[0] < bytes.count else {
      return HTTPResponse(status: 416, body: [])
    }
    let last = min(parts[1], bytes.count - 1)
    return HTTPResponse(
      status: 206, headers: ["content-range": "bytes \(parts[0])-\(last)/\(bytes.count)"],
      body: Array(bytes[parts[0]...last]))
  }
}

/// A temporary folder, which is removed together with this object.
final class TestFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "stratus-test-" + UUID().uuidString, isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Creates a file in the folder and returns its URL.
  func file(_ name: String, _ bytes: [UInt8]) throws -> URL {
    let url = url.appendingPathComponent(name)
    try Data(bytes).write(to: url)
    return url
  }
}

/// Returns pseudorandom bytes, so that a test notices if parts of a file are in the wrong order.
func bytes(_ count: Int, from seed: UInt32 = 1) -> [UInt8] {
  var state = seed
  return (0..<count).map { _ in
    state = state &* 1_664_525 &+ 1_013_904_223
    return UInt8(truncatingIfNeeded: state >> 24)
  }
}

func contents(_ asset: CKAsset?) -> [UInt8]? {
  asset?.fileURL.flatMap { try? Data(contentsOf: $0) }.map(Array.init)
}
