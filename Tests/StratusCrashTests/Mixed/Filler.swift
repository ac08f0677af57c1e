import StratusTransport
import StratusWire

/// Saves large records until the server refuses a record. Small records would fit into the free
/// space inside the server's files, so the files would not grow.
struct Filler {
  private static let recordsMax = 400
  private static let textBytes = 500_000

  let connection: Connection

  /// - Returns: the number of saved records, or nil if the server refused no record.
  /// - Throws: any error except that of a full disk.
  func fill() async throws -> Int? {
    let text = String(repeating: "f", count: Self.textBytes)
    for number in 0..<Self.recordsMax {
      do {
        try await send(
          Writer.save(.forceReplace, name(number), tag: nil, number: -1, text: text))
      } catch let error as TransportFailure where error.isOfFullDisk {
        return number
      }
    }
    return nil
  }

  /// Deletes the saved records. The disk must have free space again.
  func remove(_ count: Int) async throws {
    for number in 0..<count {
      try await send(RecordOperation(.forceDelete, recordName: name(number)))
    }
  }

  private func name(_ number: Int) -> String { "filler-\(number)" }

  private func send(_ operation: RecordOperation) async throws {
    let answer = try await connection.send(
      ModifyRecords.self,
      ModifyRecords.Request(zoneID: CrashZones.ids[0], operations: [operation]), to: .private,
      isIdempotent: true, options: Connection.Options(requestTimeoutSeconds: 20))
    for case .failure(let failure) in answer.records { throw failure.error }
  }
}
