import Glibc
import StratusWire

/// The caller of a load. It prepares the records of the load, and creates the requests of each lane
/// (a thread of the load).
struct NeighbourCaller {
  /// The function that a lane repeats until the load ends. It sends requests or opens connections.
  typealias Turn = () throws -> Void

  static let zone = "loud"

  let port: Int
  let requests: Requests

  /// Prepares the records of a load.
  ///
  /// - Returns: a function that takes the number of a lane (a thread of the load), and returns
  ///   the function that this thread repeats.
  func prepare(_ load: Neighbour) throws -> (_ lane: Int) throws -> Turn {
    switch load {
    case .spin, .spinFairly: return { _ in { while true {} } }
    case .words, .inLists, .distance, .indexes, .anonymous: return try prepareQueries(load)
    case .texts, .lists, .subscriptions, .zones, .modify, .cascades, .notifications:
      return try prepareSaves(load)
    case .megabytes, .pulls, .downloads, .uploads, .cutUploads, .slowReaders, .pipelined:
      return try prepareBytes(load)
    case .halfSent, .connections, .wrongTokens, .wrongTokensLarge, .unparsable, .streams, .polls:
      return try prepareConnections(load)
    }
  }

  /// Returns a connection that accepts refusals as answers, and is opened again when it breaks.
  func line() -> NeighbourLine { NeighbourLine(port: port) }

  func makeZone() throws {
    _ = try Exchange(port: port).send(requests.createZone(Self.zone))
  }

  /// Saves records in batches.
  ///
  /// - Parameter fields: takes the number of a record, and returns the fields of this record.
  func fill(
    _ count: Int, type: String, _ fields: (Int) -> [(String, FieldValue)]
  ) throws {
    let exchange = try Exchange(port: port)
    for start in stride(from: 0, to: count, by: 200) {
      let operations = try (start..<min(start + 200, count)).map { number in
        try Self.operation(.forceReplace, "\(type)-\(number)", type: type, fields(number))
      }
      _ = try exchange.send(requests.saving(operations, zone: Self.zone))
    }
  }

  static func operation(
    _ kind: RecordOperation.Kind, _ name: String, type: String, _ fields: [(String, FieldValue)]
  ) throws -> RecordOperation {
    RecordOperation(
      kind, recordName: name, recordType: type,
      fields: try JSONView(parsing: FieldsJSON(fields).text))
  }
}

/// A connection that is opened again when it breaks.
final class NeighbourLine {
  private let port: Int
  private var exchange: Exchange?

  init(port: Int) { self.port = port }

  func send(_ request: RequestTemplate) throws {
    do {
      let line = try exchange ?? Exchange(port: port, acceptsRefusals: true)
      exchange = line
      _ = try line.send(request)
    } catch {
      exchange = nil
      throw error
    }
  }
}
