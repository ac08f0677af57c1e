import StratusDomain
import StratusWire

/// A legal query that can be evaluated on records.
struct NaiveQuery {
  let recordType: String
  let tests: [NaiveTest]
  let sorts: [NaiveSort]

  static let filtersMax = 100
  static let sortsMax = 10

  /// - Throws: the reason why the query is refused.
  init(_ query: AskedQuery, model: Model, caller: String) throws(Refusal) {
    recordType = query.recordType
    guard query.recordType != "Users" else { throw Refusal("users cannot be queried") }
    guard let type = model.types[query.recordType] else { throw Refusal("no such record type") }
    let reader = NaiveFilterReader(type: type, model: model, caller: caller)
    if query.filters.isEmpty, model.isProduction,
      !type.systemMarks[.recordName, default: []].contains(.queryable)
    {
      throw Refusal("recordName is not marked queryable")
    }
    guard Self.count(query.filters) <= Self.filtersMax else { throw Refusal("too many filters") }
    guard query.sorts.count <= Self.sortsMax else { throw Refusal("too many sorts") }
    tests = try reader.tests(query.filters)
    var sorts: [NaiveSort] = []
    for sort in query.sorts {
      let isPlaced = sorts.contains { if case .distance = $0 { true } else { false } }
      sorts.append(try reader.sort(sort, isPlaced: isPlaced))
    }
    self.sorts = sorts
  }

  private static func count(_ filters: [AskedFilter]) -> Int {
    filters.reduce(0) { count, filter in
      switch filter {
      case .field: count + 1
      case .anyOf(let groups): count + groups.reduce(0) { $0 + Self.count($1) }
      }
    }
  }

  func matches(_ record: ModelRecord) -> Truth {
    // NB: type names are ASCII, so `==` compares them byte for byte.
    record.type == recordType ? NaiveTest.all(tests, hold: record) : .no
  }

  func order(_ left: ModelRecord, _ right: ModelRecord) -> NaiveSort.Order {
    for sort in sorts {
      let order = sort.order(left, right)
      if order != .same { return order }
    }
    return .same
  }
}

/// The expected result of a query.
enum Verdict {
  case refused([ErrorCode], why: String)
  /// Both an answer and a refusal are correct.
  case open(why: String)
  case answer(NaiveQuery)
}

extension QueryCase {
  /// The zone of the query, or nil for all zones.
  var zoneAsked: String? {
    if let zone { return zone }
    return isZoneWide == true ? nil : Model.defaultZone
  }

  func verdict(on model: Model) -> Verdict {
    let isZoneMissing = zone.map { !model.hasZone($0, in: database) } ?? false
    do throws(Refusal) {
      let query = try NaiveQuery(
        query, model: model, caller: model.caller(0, of: database))
      if isZoneMissing { return .refused([.zoneNotFound], why: "the zone does not exist") }
      return .answer(query)
    } catch {
      if error.isOpen { return .open(why: error.why) }
      let codes: [ErrorCode] = isZoneMissing ? [.badRequest, .zoneNotFound] : [.badRequest]
      return .refused(codes, why: error.why)
    }
  }
}
