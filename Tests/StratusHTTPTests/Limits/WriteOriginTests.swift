import StratusDomain
import StratusTesting
import StratusWire
import Synchronization
import Testing

@testable import StratusHTTP

/// A store orders the writes of several callers by their origin.
@Suite struct `The origin of writes` {
  @Test func `the writes of a request have its caller as origin, and whether it is expensive`()
    async throws
  {
    let limits = LimitSettings(expensiveRequestsPerCallerMax: 1)
    try await withServer(limits: limits) { server in
      let handler = OriginHandler()
      let address = DatabaseAddress(
        store: StoreAddress(container: "iCloud.org.example", environment: .development),
        scope: .private)
      for spaces in [0, Limits.expensiveBodyBytesMin] {
        let body = #"{"records":["# + String(repeating: " ", count: spaces) + "]}"
        _ = try await server.router.serve(
          LookupRecords.path, by: handler, Array(body.utf8), in: address,
          as: CallerPace.Subject(userRecordName: "_ann", apiToken: "api"),
          Caller(userRecordName: "_ann", deviceID: "d", requestUUID: "r"))
      }
      #expect(
        handler.origins == [
          WriteOrigin(caller: "_ann", isExpensive: false),
          WriteOrigin(caller: "_ann", isExpensive: true),
        ])
      #expect(WriteOrigin.current == nil)
    }
  }
}

/// Notes the origin that a write of the request would have.
private final class OriginHandler: EndpointHandler {
  typealias Endpoint = LookupRecords

  private let noted = Mutex<[WriteOrigin?]>([])

  var origins: [WriteOrigin?] { noted.withLock { $0 } }

  func answer(
    _ request: LookupRecords.Request, to caller: Caller, in database: DatabaseAddress
  ) async throws(ServerError) -> LookupRecords.Response {
    noted.withLock { $0.append(WriteOrigin.current) }
    return LookupRecords.Response(records: [])
  }
}
