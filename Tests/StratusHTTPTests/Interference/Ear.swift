import HTTPTypes
import StratusTesting
import Testing

/// Keeps all bytes of a notification stream. The server ends the stream when it stops.
struct Ear: Sendable {
  /// The status and the fields of the answer.
  let head: String
  private let reader: Task<[UInt8], Never>

  init(_ target: String, of client: Client) async throws {
    let (head, body) = try await client.open(target)
    let fields = head.headerFields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    self.head = "\(head.status.code)\n\(fields)"
    reader = Task.detached {
      var bytes: [UInt8] = []
      for await piece in body { bytes += piece }
      return bytes
    }
  }

  /// Waits for the end of the stream, and returns its head and all its bytes.
  func heard() async -> String {
    "stream\n\(head)\n" + String(decoding: await reader.value, as: UTF8.self)
  }
}
