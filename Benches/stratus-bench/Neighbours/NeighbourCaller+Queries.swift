import StratusWire

extension NeighbourCaller {
  private static let recordsCount = 5_000

  func prepareQueries(_ load: Neighbour) throws -> (Int) throws -> Turn {
    if load == .anonymous { return prepareAnonymous() }
    try makeZone()
    if load == .indexes { return try prepareIndexes() }
    try fill(Self.recordsCount, type: "Item") { number in
      [
        ("text", .string((0..<40).map { Self.word(number &* 31 &+ $0) }.joined(separator: " "))),
        ("code", .int64(Int64(number))), ("place", .location(SampleItem.place(UInt64(number)))),
      ]
    }
    let query = Query(recordType: "Item", filters: [Self.filter(load)], sorts: Self.sorts(load))
    let request = requests.query(query, zone: Self.zone, limit: 200)
    _ = try Exchange(port: port).send(request)
    return { _ in
      let line = line()
      return { try line.send(request) }
    }
  }

  static func word(_ number: Int) -> String { "word\(number % 2_000)" }

  private static func filter(_ load: Neighbour) -> QueryFilter {
    switch load {
    case .words:
      let words = (0..<100).map { word($0 * 17) }
      let text = Array(repeating: words, count: 75).flatMap { $0 }.joined(separator: " ")
      return .field(FieldFilter(.containsAnyTokens, QueryKey(field: "text"), .string(text)))
    case .inLists:
      let codes = (0..<2_000).map { FieldValue.int64(Int64($0 * 2)) }
      return .field(FieldFilter(.in, QueryKey(field: "code"), .list(.int64, codes)))
    default:
      return .field(FieldFilter(.greaterThanOrEquals, QueryKey(field: "code"), .int64(0)))
    }
  }

  private static func sorts(_ load: Neighbour) -> [QuerySort] {
    guard load == .distance else { return [] }
    return [QuerySort(QueryKey(field: "place"), relativeLocation: SampleItem.origin)]
  }

  /// Prepares queries whose sort orders each need a new index. A record type has a limited number
  /// of indexes, so there are several record types.
  private func prepareIndexes() throws -> (Int) throws -> Turn {
    let fields = 6
    for type in 0..<8 {
      try fill(1_000, type: "Type\(type)") { number in
        (0..<fields).map { ("f\($0)", .int64(Int64(number &* 7 &+ $0))) }
      }
    }
    return { lane in
      let line = line()
      var draw = lane
      return {
        draw += lanesOfIndexes
        let (first, second, type) = (draw % fields, draw / fields % fields, draw / 36 % 8)
        let sorts = [first, second].map { QuerySort(QueryKey(field: "f\($0)")) }
        let query = Query(recordType: "Type\(type)", sorts: sorts)
        try line.send(requests.query(query, zone: Self.zone, limit: 200))
      }
    }
  }

  private var lanesOfIndexes: Int { Neighbour.indexes.lanes }

  private func prepareAnonymous() -> (Int) throws -> Turn {
    var anonymous = Requests(
      query: String(requests.query.prefix { $0 != "&" }), container: requests.container)
    anonymous.database = "public"
    let request = anonymous.query(
      Query(recordType: "Users"), zone: ZoneID.defaultZoneName, limit: 200)
    return { _ in
      let line = line()
      return { try line.send(request) }
    }
  }
}
