import Glibc
import StratusWire

extension NeighbourCaller {
  func prepareSaves(_ load: Neighbour) throws -> (Int) throws -> Turn {
    try makeZone()
    switch load {
    case .texts: return try prepareTexts()
    case .lists: return try prepareLists()
    case .modify:
      let request = try requests.saving(200, zone: Self.zone)
      return numbered { line, number in
        var request = request
        request.setNames { RecordName.scatter(number()) }
        try line.send(request)
      }
    case .notifications: return try prepareNotifications()
    case .cascades:
      return numbered { line, number in
        let chain = number()
        let links = try (0..<200).map { place in
          try Self.operation(
            .create, "c\(chain)-\(place)", type: "Link",
            place == 0
              ? []
              : [
                (
                  "next",
                  .reference(
                    Reference(recordName: "c\(chain)-\(place - 1)", action: .deleteSelf))
                )
              ])
        }
        try line.send(requests.saving(links, zone: Self.zone))
        try line.send(
          requests.saving(
            [RecordOperation(.forceDelete, recordName: "c\(chain)-0")], zone: Self.zone))
      }
    case .zones:
      return numbered { line, number in
        let prefix = number()
        let zones = (0..<100).map { ZoneID(zoneName: "z\(prefix)-\($0)") }
        for kind in [ModifyZones.Operation.Kind.create, .delete] {
          try line.send(
            requests.request(
              ModifyZones.self, .init(operations: zones.map { ModifyZones.Operation(kind, $0) })))
        }
      }
    default:
      return numbered { line, number in
        let prefix = number()
        let made = (0..<200).map { Self.subscription("s\(prefix)-\($0)") }
        for operations in [
          made.map { ModifySubscriptions.Operation.save($0) },
          made.map { .delete(id: $0.id ?? "") },
        ] {
          try line.send(requests.request(ModifySubscriptions.self, .init(operations: operations)))
        }
      }
    }
  }

  /// Creates a function that repeats a request. Each request gets a number that no other request of
  /// the load has.
  private func numbered(
    _ turn: @escaping (NeighbourLine, () -> UInt64) throws -> Void
  ) -> (Int) throws -> Turn {
    { lane in
      let line = line()
      var next = UInt64(lane) << 40
      return {
        try turn(line) {
          next += 1
          return next
        }
      }
    }
  }

  private static func subscription(_ id: String) -> Subscription {
    let filter = FieldFilter(.equals, QueryKey(field: "title"), .string(id))
    return Subscription(
      id: id,
      .query(
        WatchedQuery(query: Query(recordType: "Task", filters: [.field(filter)]), firesOn: .create))
    )
  }

  private func prepareTexts() throws -> (Int) throws -> Turn {
    try fill(1, type: "Text") { _ in [("text", .string("a text"))] }
    let filter = FieldFilter(.containsAllTokens, QueryKey(field: "text"), .string("text"))
    _ = try Exchange(port: port).send(
      requests.query(
        Query(recordType: "Text", filters: [.field(filter)]), zone: Self.zone, limit: 1))
    return numbered { line, number in
      let first = Int(number() & 0xFFFF) * 10_000
      let text = (first..<first + 10_000).map { "w\($0)" }.joined(separator: " ")
      let save = try Self.operation(
        .forceReplace, "text-\(first % 7)", type: "Text", [("text", .string(text))])
      try line.send(requests.saving([save], zone: Self.zone))
    }
  }

  private func prepareLists() throws -> (Int) throws -> Turn {
    let names = ["a", "b", "c"]
    try fill(1, type: "Lists") { _ in names.map { ($0, .list(.int64, [.int64(1)])) } }
    for name in names {
      let filter = FieldFilter(.listContains, QueryKey(field: name), .int64(1))
      _ = try Exchange(port: port).send(
        requests.query(
          Query(recordType: "Lists", filters: [.field(filter)]), zone: Self.zone, limit: 1))
    }
    return numbered { line, number in
      let first = Int64(number() & 0xFFFF) * 10_000
      let values = (first..<first + 6_600).map { FieldValue.int64($0) }
      let save = try Self.operation(
        .forceReplace, "lists-\(first % 7)", type: "Lists",
        names.map { ($0, .list(.int64, values)) })
      try line.send(requests.saving([save], zone: Self.zone))
    }
  }

  private func prepareNotifications() throws -> (Int) throws -> Turn {
    let subject = Subscription.Subject.zone(ZoneID(zoneName: Self.zone), recordType: nil)
    _ = try Exchange(port: port).send(
      requests.request(
        ModifySubscriptions.self,
        .init(operations: [.save(Subscription(id: "all", subject))])))
    let streams = try (0..<100).map { number in
      let stream = try Socket.connect(port: port)
      _ = try Socket.send(requests.stream(device: "d\(number % 20)"), from: 0, to: stream)
      Socket.stopWaiting(stream)
      return stream
    }
    let request = try requests.saving(1, zone: Self.zone)
    return { lane in
      let save = try numbered { line, number in
        var request = request
        request.setNames { RecordName.scatter(number()) }
        try line.send(request)
      }(lane)
      var buffer = [UInt8](repeating: 0, count: 65_536)
      return {
        try save()
        for stream in streams where stream % 4 == lane {
          _ = recv(stream, &buffer, buffer.count, 0)
        }
      }
    }
  }
}
