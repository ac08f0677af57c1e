import Foundation
import StratusTransport
import StratusWire
import Synchronization

@testable import StratusKit

/// A minimal server that answers each endpoint with a closure and records the requests.
final class FakeServer: HTTPExchange {
  struct Call: Sendable {
    /// The database and the endpoint, for example `private/records/modify`.
    let path: String
    let body: [UInt8]
    let timeoutSeconds: Double
    /// The request's `clientId`.
    let device: String

    func request<R: JSONReadable>(_ type: R.Type) throws -> R { try R(jsonBytes: body) }
  }

  typealias Handler = @Sendable (Call) async throws(NetworkFailure) -> HTTPResponse

  static let userName = "_0123456789abcdef0123456789abcdef"

  typealias ByteHandler = @Sendable (HTTPRequest) async throws(NetworkFailure) -> HTTPResponse

  private let handlers: Mutex<[String: Handler]>
  private let byteHandler = Mutex<ByteHandler?>(nil)
  /// The folder in which this server's containers keep fetched files.
  let cacheFolder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "stratus-test-\(UUID().uuidString)", isDirectory: true)
  private let log = Mutex<[Call]>([])

  init() {
    let caller = FetchCaller.Response(user: UserIdentity(userRecordName: Self.userName))
    handlers = Mutex([
      FetchCaller.path: { (_) async throws(NetworkFailure) in
        HTTPResponse(status: 200, body: caller.jsonBytes)
      }
    ])
  }

  deinit { try? FileManager.default.removeItem(at: cacheFolder) }

  /// Sets the handler for requests to the URLs of files, `/assets/…`.
  func onBytes(_ handler: @escaping ByteHandler) { byteHandler.withLock { $0 = handler } }

  /// All calls except those that ask for the current user.
  var calls: [Call] { log.withLock { $0.filter { !$0.path.hasSuffix(FetchCaller.path) } } }
  var callerCalls: Int {
    log.withLock { $0.count { $0.path.hasSuffix(FetchCaller.path) } }
  }

  /// Sets the handler of an endpoint. The handler returns raw HTTP.
  func onRaw(_ path: String, _ handler: @escaping Handler) {
    handlers.withLock { $0[path] = handler }
  }

  /// Sets the handler of an endpoint. If it throws an ``ErrorDictionary``, the server refuses the
  /// whole request.
  func on<E: Endpoint>(
    _ endpoint: E.Type, _ answer: @escaping @Sendable (E.Request) throws -> E.Response
  ) {
    onRaw(E.path) { (call) async throws(NetworkFailure) in
      do {
        return HTTPResponse(status: 200, body: try answer(call.request(E.Request.self)).jsonBytes)
      } catch let error as ErrorDictionary {
        return HTTPResponse(status: 400, body: error.jsonBytes)
      } catch {
        return HTTPResponse(status: 500, body: [])
      }
    }
  }

  func send(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse {
    if request.url.path.hasPrefix("/assets/") {
      guard let handler = byteHandler.withLock({ $0 }) else { throw .lostBeforeSending }
      return try await handler(request)
    }
    let path = request.url.pathComponents.dropFirst(5).joined(separator: "/")
    let call = Call(
      path: path, body: request.body, timeoutSeconds: request.timeoutSeconds,
      device: request.device ?? "")
    let endpoint = path.split(separator: "/").dropFirst().joined(separator: "/")
    log.withLock { $0.append(call) }
    let handler = handlers.withLock { $0[endpoint] }
    guard let handler else { throw .lostBeforeSending }
    return try await handler(call)
  }

  /// A container of this server. Its clock moves only when a task sleeps.
  ///
  /// - Parameters:
  ///   - events: the source of the container's notifications.
  ///   - program: the name of the program that owns the container. Nil means this process.
  func container(
    webAuthToken: String? = "web", pieceBytesMax: Int = 1_000,
    events: (any EventExchange)? = nil, stateFolder: URL? = nil, program: String? = nil
  ) -> CKContainer {
    let clock = FakeClock()
    return CKContainer(
      identifier: "iCloud.org.example.App",
      settings: CKContainer.Settings(
        url: URL(string: "https://cloud.example.org"), apiToken: "api",
        webAuthToken: webAuthToken, stateFolder: stateFolder),
      exchange: self,
      timing: Timing(
        now: { clock.now.withLock { $0 } },
        sleep: { seconds in
          clock.now.withLock { $0 += seconds }
          await Task.yield()
        },
        chance: { 0 }),
      assets: AssetSettings(cacheFolder: cacheFolder, pieceBytesMax: pieceBytesMax),
      events: events, program: program)
  }

  var database: CKDatabase { container().privateCloudDatabase }
}

extension HTTPRequest {
  /// The request's `clientId`.
  var device: String? {
    URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?
      .first { $0.name == "clientId" }?.value
  }
}

final class FakeClock: Sendable {
  let now = Mutex(0.0)
}

/// A list of the lines that a test records, in order.
final class Journal: Sendable {
  private let lines = Mutex<[String]>([])

  func note(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

/// A gate. Callers wait until the gate is open.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Mutex(State())

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func pass() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }
}

func refusal(_ code: ErrorCode, _ reason: String = "R", retryAfter: Int? = nil) -> ErrorDictionary {
  ErrorDictionary(code: code, reason: reason, uuid: "U", retryAfterSeconds: retryAfter)
}

func stored(
  _ name: String, type: String = "Note", zone: String = "Z", tag: String = "t1",
  fields: FieldsJSON = .empty
) -> RecordDictionary {
  let stamp = Stamp(
    timestamp: 1_700_000_000_000, userRecordName: FakeServer.userName, deviceID: "D")
  return RecordDictionary(
    recordName: name, recordType: type, fields: fields, recordChangeTag: tag, created: stamp,
    modified: stamp,
    zoneID: ZoneID(zoneName: zone, ownerRecordName: FakeServer.userName))
}

/// The server's answer when it accepts every save and delete.
func accepted(_ request: ModifyRecords.Request) -> RecordsResponse {
  RecordsResponse(
    records: request.operations.map { operation in
      let name = operation.recordName ?? ""
      switch operation.kind {
      case .delete, .forceDelete: return .deleted(Tombstone(recordName: name))
      case .create, .update, .forceUpdate, .replace, .forceReplace:
        return .record(
          stored(
            name, type: operation.recordType ?? "Note",
            zone: request.zoneID?.zoneName ?? ZoneID.defaultZoneName, tag: "t2"))
      }
    })
}

let zoneZ = CKRecordZone.ID(zoneName: "Z")

func note(_ name: String, in zoneID: CKRecordZone.ID = zoneZ) -> CKRecord {
  CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
}

func id(_ name: String, in zoneID: CKRecordZone.ID = zoneZ) -> CKRecord.ID {
  CKRecord.ID(recordName: name, zoneID: zoneID)
}

extension CKDatabase {
  /// Runs an operation and waits until it is finished.
  func run(_ operation: CKDatabaseOperation) async {
    await withCheckedContinuation { continuation in
      operation.completionBlock = { continuation.resume() }
      add(operation)
    }
  }
}

func code(_ error: (any Error)?) -> CKError.Code? { (error as? CKError)?.code }

func code<Value>(_ result: Result<Value, any Error>?) -> CKError.Code? {
  if case .failure(let error) = result { return code(error) }
  return nil
}
