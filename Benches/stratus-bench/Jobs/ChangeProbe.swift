/// Saves a record in a zone, and then fetches the changes of the zone.
struct ChangeProbe {
  private let exchange: Exchange
  private let requests: Requests
  private let zone: String
  private var saving: RequestTemplate
  private var token: String
  private var nextName: UInt64
  private var latencies: [Int64] = []

  /// - Parameter firstName: the number in the name of the first record that the probe saves. The
  ///   zone must contain no record with this number or a greater one.
  init(port: Int, requests: Requests, zone: String, firstName: UInt64) throws {
    exchange = try Exchange(port: port)
    self.requests = requests
    self.zone = zone
    saving = try requests.saving(1, zone: zone)
    nextName = firstName
    token = try Self.newestToken(exchange, requests, zone)
  }

  /// The duration of each fetch in nanoseconds, sorted.
  var sortedLatencies: [Int64] { latencies.sorted() }

  mutating func changeAndFetch() throws {
    saving.setNames { nextName }
    nextName += 1
    _ = try exchange.send(saving)
    let (body, nanoseconds) = try exchange.time(requests.changes(zone: zone, since: token))
    let page = try Page(body)
    if page.moreComing || page.syncToken == token {
      throw Failure("a change was not in the answer")
    }
    token = page.syncToken
    latencies.append(nanoseconds)
  }

  /// Returns the change token at the end of a zone's history.
  private static func newestToken(
    _ exchange: Exchange, _ requests: Requests, _ zone: String
  ) throws -> String {
    var token: String?
    while true {
      let page = try Page(exchange.send(requests.changes(zone: zone, since: token)))
      if !page.moreComing { return page.syncToken }
      token = page.syncToken
    }
  }
}
