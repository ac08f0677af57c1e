import StratusWire

@testable import StratusDomain

/// A device that reads the zone's history with change tokens.
struct SharedDevice {
  let user: String
  private(set) var token: String?
  /// The change tags of the records that the device has.
  private(set) var held: [String: String] = [:]
  /// The deletions that the device has received since it last read without a token.
  private(set) var deletions: Set<String> = []
  /// The records in the last page.
  private(set) var delivered: Set<String> = []
  /// The number of times that the server answered that a token has expired.
  private(set) var expirations = 0

  init(user: String) { self.user = user }

  enum Outcome {
    case more, complete, noZone
  }

  /// Reads one page.
  ///
  /// - Throws: ``Mishap`` if a read without a token returns a deletion.
  mutating func readPage(
    of server: SharedServer, limit: Int, isReversed: Bool, showsDeletedTypes: Bool
  ) async throws -> Outcome {
    delivered = []
    let page: FetchRecordChanges.Response
    do throws(ServerError) {
      page = try await server.page(
        of: user, since: token, limit: limit, isReversed: isReversed,
        showsDeletedTypes: showsDeletedTypes)
    } catch {
      switch error.code {
      case .zoneNotFound:
        // The token stays, as on a device that does not know that its user was removed.
        held = [:]
        deletions = []
        return .noZone
      // The server has not yet moved all records below a moved record.
      case .tryAgainLater: return .more
      case .badRequest where error.reason == Reason.syncTokenExpired:
        expirations += 1
        (token, held, deletions) = (nil, [:], [])
        return .more
      default: throw error
      }
    }
    for item in page.records {
      switch item {
      case .record(let record):
        held[record.recordName] = record.recordChangeTag
        delivered.insert(record.recordName)
      case .deleted(let tombstone):
        if token == nil, !showsDeletedTypes { throw Mishap("a first reading shows deletions") }
        held[tombstone.recordName] = nil
        deletions.insert(tombstone.recordName)
      case .failure: throw Mishap("a feed has a failure")
      }
    }
    if page.records.count > limit { throw Mishap("a page exceeds its limit") }
    token = page.syncToken
    return page.moreComing ? .more : .complete
  }
}

struct Mishap: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
