import StratusDomain
import StratusWire

/// Reads all pages of one query and compares them with the naive evaluator's result.
struct CaseCheck {
  var world: World
  private(set) var tally = DataSetRun.Tally()
  private let query: QueryCase
  private let user: String
  private var answered = AnsweredRecords()

  /// The only reason for which a legal query may be refused: a record type has a limited number of
  /// indexes, and earlier queries decide which sort orders the indexes support.
  private static let cappedReason = "no index can serve this order"

  init(_ query: QueryCase, world: World) {
    self.query = query
    self.world = world
    user = world.model.caller(0, of: query.database)
  }

  /// - Throws: ``Mismatch``, or the errors of the server.
  mutating func run() async throws {
    tally.cases = 1
    tally.edited = query.between.isEmpty ? 0 : 1
    world.forgetTouched()
    switch query.verdict(on: world.model) {
    case .refused(let codes, let why):
      tally.refused = 1
      try await requireRefusal(query.text(), codes, why)
    case .open:
      // NB: any answer and any refusal is correct here. An internal error has another code and is a
      // failure.
      tally.open = 1
      do { _ = try await ask(query.text()) } catch let error as ServerError {
        guard error.code == .badRequest || error.code == .zoneNotFound else { throw error }
      }
    case .answer(let naive):
      let expected = NaiveAnswer(query, naive, in: world.model)
      if query.countsToo { try await checkCount(of: expected) }
      try await pageThrough()
      if tally.capped > 0 { return }
      tally.records = answered.all.count
      tally.empty = answered.all.isEmpty ? 1 : 0
      try answered.check(expected, naive, world: world)
    }
  }

  private func requireRefusal(_ text: String, _ codes: [ErrorCode], _ why: String) async throws {
    do {
      let response = try await ask(text)
      throw Mismatch("answered with \(response.records.count) records, but \(why)")
    } catch let error as ServerError {
      guard codes.contains(error.code) else {
        throw Mismatch("refused with \(error.code): \(error.reason); expected \(codes): \(why)")
      }
    }
  }

  private func ask(_ text: String) async throws -> QueryRecords.Response {
    try await world.server.query(
      text, user: user, scope: query.database.scope, store: world.address)
  }

  private mutating func checkCount(of expected: NaiveAnswer) async throws {
    guard world.model.allowsExtensions else {
      try await requireRefusal(
        query.text(countsOnly: true), [.badRequest], "counting is an extension, which is off")
      return
    }
    tally.counted = 1
    var count: Int64 = 0
    var marker: String?
    var pages = 0
    repeat {
      let response: QueryRecords.Response
      do { response = try await ask(query.text(marker: marker, countsOnly: true)) } catch let error
        as ServerError
      {
        if marker == nil, error.reason.hasPrefix(Self.cappedReason) { return }
        throw Mismatch("a count was refused with \(error.code): \(error.reason)")
      }
      guard let part = response.count else { throw Mismatch("the answer to a count has no count") }
      guard response.records.isEmpty else { throw Mismatch("the answer to a count has records") }
      count += part
      marker = response.continuationMarker
      pages += 1
      if pages > 1_000 { throw Mismatch("a count has too many pages") }
    } while marker != nil
    guard expected.countRange.contains(Int(count)) else {
      throw Mismatch("the count is \(count), expected \(expected.countRange)")
    }
  }

  private func limit(ofPage page: Int) -> Int {
    let asked = query.limit(ofPage: page) ?? 0
    return asked <= 0 ? Limits.recordsPerResponseMax : min(asked, Limits.recordsPerResponseMax)
  }

  private mutating func pageThrough() async throws {
    var markers: Set<String> = []
    var marker: String?
    var page = 0
    repeat {
      let response: QueryRecords.Response
      do { response = try await ask(query.text(marker: marker, page: page)) } catch let error
        as ServerError
      {
        // The zone may have been deleted between two pages.
        if page > 0, error.code == .zoneNotFound, let zone = query.zone,
          !world.model.hasZone(zone, in: query.database)
        {
          return
        }
        if page == 0, error.reason.hasPrefix(Self.cappedReason) {
          tally.capped = 1
          return
        }
        throw Mismatch("page \(page) refused with \(error.code): \(error.reason)")
      }
      tally.pages += 1
      try check(response, page: page)
      if let next = response.continuationMarker {
        if !markers.insert(next).inserted {
          throw Mismatch("the marker of page \(page) occurred on an earlier page, too")
        }
        if page == 0 { try await misuse(next) }
        if page < query.between.count {
          for step in query.between[page] { try await world.apply(step) }
        }
      } else if response.records.isEmpty, page > 0, world.touched.isEmpty {
        throw Mismatch("page \(page) is empty, although the page before it had a marker")
      }
      marker = response.continuationMarker
      page += 1
      if page > 2_000 { throw Mismatch("a query has more than 2,000 pages") }
    } while marker != nil
  }

  /// Checks the size and the order of one page, and that its records match the query now.
  private mutating func check(_ response: QueryRecords.Response, page: Int) throws {
    let limit = limit(ofPage: page)
    let hasMore = response.continuationMarker != nil
    // The data sets are so small that every page except the last one is full.
    let mayBeShort = !hasMore
    guard response.records.count <= limit, mayBeShort || response.records.count == limit else {
      throw Mismatch("page \(page) has \(response.records.count) records of \(limit)")
    }
    guard case .answer(let naive) = query.verdict(on: world.model) else {
      throw Mismatch("page \(page) has an answer, but the query is no longer legal")
    }
    var previous: ModelRecord?
    for item in response.records {
      guard case .record(let record) = item else { throw Mismatch("an item is not a record") }
      let zone = record.zoneID.zoneName
      let place = RecordPlace(zone: zone, name: record.recordName)
      guard let own = world.model.record(record.recordName, in: zone, of: query.database),
        query.zoneAsked.map({ $0 == zone }) ?? true
      else { throw Mismatch("page \(page) has \(place), which does not exist") }
      guard naive.matches(own) != .no else {
        throw Mismatch("page \(page) has \(place), which does not match: \(own)")
      }
      if let previous, naive.order(previous, own) == .behind {
        throw Mismatch("page \(page) has \(own) behind \(previous)")
      }
      if query.number % 16 == 0 { try record.require(own, desiredKeys: query.desiredKeys) }
      previous = own
      answered.all.append(AnsweredRecords.Item(place: place, page: page, record: own))
    }
  }

  /// Sends an invalid marker, or a marker with another query.
  private func misuse(_ marker: String) async throws {
    switch query.marker {
    case .asGiven: return
    case .ofAnotherQuery:
      var other = query
      other.query.filters.append(
        .field(
          AskedCondition(
            comparator: .notEquals, key: AskedKey(name: "recordName", isSystem: true),
            value: .object(["recordName": .string("anyone")]), declaredType: "REFERENCE")))
      try await requireRefusal(
        other.text(marker: marker), [.badRequest], "the marker belongs to another query")
    case .cut:
      try await requireRefusal(
        query.text(marker: String(marker.prefix(marker.utf8.count / 8 * 4))), [.badRequest],
        "the marker is cut in half")
    case .garbage:
      for garbage in ["AAAA", "x", "\u{e9}", "bm90IG91cnM="] {
        try await requireRefusal(
          query.text(marker: garbage), [.badRequest], "'\(garbage)' is not a marker")
      }
    }
  }
}
