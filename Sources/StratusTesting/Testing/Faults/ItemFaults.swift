import Foundation
import StratusDomain
import StratusKit
import StratusTransport
import StratusWire

/// An error that affects some items of a request, or the whole request.
struct ItemFaults: Sendable {
  private let refusal: Refusal
  private let request: DeviceRequest
  /// The indexes of the affected items. nil means the whole request.
  private let positions: Set<Int>?

  init(_ refusal: Refusal, _ requests: TestRequests, _ request: DeviceRequest) {
    self.refusal = refusal
    self.request = request
    guard let name = requests.recordName.map(ExactName.init) else {
      positions = nil
      return
    }
    let names: [String?] =
      request.modification?.operations.map(\.recordName)
      ?? request.lookup?.items.map { $0.recordName } ?? []
    positions = Set(names.indices.filter { names[$0].map(ExactName.init) == name })
  }

  /// Creates an error that affects every save of a request.
  init(_ refusal: Refusal, savesOf modification: ModifyRecords.Request, _ request: DeviceRequest) {
    self.refusal = refusal
    self.request = request
    positions = Set(
      modification.operations.indices.filter {
        switch modification.operations[$0].kind {
        case .create, .update, .forceUpdate, .replace, .forceReplace: true
        case .delete, .forceDelete: false
        }
      })
  }

  /// Returns the answer that the device receives.
  ///
  /// - Parameter pass: sends the remaining items to the server.
  func answer(
    _ pass: (DeviceRequest) async throws(NetworkFailure) -> HTTPResponse
  ) async throws(NetworkFailure) -> HTTPResponse {
    guard let positions else { return refusal.response }
    if positions.isEmpty { return try await pass(request) }
    if let modification = request.modification {
      return try await answer(modification, positions, pass)
    }
    if let lookup = request.lookup {
      var rest = lookup
      rest.items = Self.without(positions, lookup.items)
      return try await splice(
        LookupRecords.self, rest, isEmpty: rest.items.isEmpty,
        names: lookup.items.map(\.recordName),
        pass)
    }
    return refusal.response
  }

  private func answer(
    _ modification: ModifyRecords.Request, _ positions: Set<Int>,
    _ pass: (DeviceRequest) async throws(NetworkFailure) -> HTTPResponse
  ) async throws(NetworkFailure) -> HTTPResponse {
    let names = modification.operations.map { $0.recordName ?? "" }
    let zone = modification.zoneID?.zoneName ?? ZoneID.defaultZoneName
    if modification.isAtomic ?? true, request.isPrivate, zone != ZoneID.defaultZoneName {
      let atomic = ErrorDictionary(code: .atomicError, reason: Reason.atomicError, uuid: "")
      var items: [RecordItem] = []
      for (index, name) in names.enumerated() {
        items.append(
          positions.contains(index)
            ? await failure(of: name, modification.zoneID, pass)
            : .failure(RecordFailure(recordName: name, error: atomic)))
      }
      return HTTPResponse(status: 200, body: RecordsResponse(records: items).jsonBytes)
    }
    var rest = modification
    rest.operations = Self.without(positions, modification.operations)
    return try await splice(
      ModifyRecords.self, rest, isEmpty: rest.operations.isEmpty, names: names, pass)
  }

  /// Sends the remaining items to the server, and inserts the failures at their indexes.
  private func splice<E: Endpoint>(
    _ endpoint: E.Type, _ rest: E.Request, isEmpty: Bool, names: [String],
    _ pass: (DeviceRequest) async throws(NetworkFailure) -> HTTPResponse
  ) async throws(NetworkFailure) -> HTTPResponse where E.Response == RecordsResponse {
    var answered: [RecordItem] = []
    if !isEmpty {
      var sent = request.sent
      sent.body = rest.jsonBytes
      let response = try await pass(DeviceRequest(sent))
      guard response.status == 200, let records = try? RecordsResponse(jsonBytes: response.body)
      else { return response }
      answered = records.records
    }
    var items: [RecordItem] = []
    var next = answered.makeIterator()
    for (index, name) in names.enumerated() {
      if positions?.contains(index) == true {
        items.append(await failure(of: name, request.modification?.zoneID, pass))
      } else if let item = next.next() {
        items.append(item)
      }
    }
    return HTTPResponse(status: 200, body: RecordsResponse(records: items).jsonBytes)
  }

  private static func without<Item>(_ positions: Set<Int>, _ items: [Item]) -> [Item] {
    items.indices.filter { !positions.contains($0) }.map { items[$0] }
  }

  /// Returns the failure of one record. A conflict includes the server's record.
  private func failure(
    of name: String, _ zoneID: ZoneID?,
    _ pass: (DeviceRequest) async throws(NetworkFailure) -> HTTPResponse
  ) async -> RecordItem {
    var failure = RecordFailure(recordName: name, error: refusal.error)
    if refusal.error.nativeCode == CKError.Code.serverRecordChanged.rawValue,
      request.modification != nil
    {
      var sent = request.sent
      let path = request.sent.url.absoluteString.replacing(
        ModifyRecords.path, with: LookupRecords.path, maxReplacements: 1)
      guard let url = URL(string: path) else { return .failure(failure) }
      sent.url = url
      sent.body = LookupRecords.Request(zoneID: zoneID, recordNames: [name]).jsonBytes
      if let answer = try? await pass(DeviceRequest(sent)), answer.status == 200,
        case .record(let record)? = try? RecordsResponse(jsonBytes: answer.body).records.first
      {
        failure.serverRecord = record
      }
    }
    return .failure(failure)
  }
}
