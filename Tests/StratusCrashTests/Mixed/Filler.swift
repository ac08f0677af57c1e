import StratusTransport
import StratusWire

/// Saves large records until the server refuses one. Only large records make the server's files
/// grow; small ones fit into the free space inside the files.
struct Filler {
  private static let recordsMax = 400
  private static let textBytes = 500_000

  let connection: Connection

  /// - Returns: the number of records saved before one was refused; nil: none was refused.
  /// - Throws: an error other than that of a full disk.
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

  /// Deletes the records. The disk must have space again.
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
