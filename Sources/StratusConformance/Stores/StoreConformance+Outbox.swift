import StratusDomain
import StratusWire

/// Checks of the outbox, which stores the changes that have not been matched with subscriptions
/// yet.
extension StoreConformance {
  static let outboxChecks: [Check] = [
    Check("the outbox returns its entries in order", outboxIsInOrder),
    Check(
      "record images before and after a change are stored, and one of them may be missing",
      imagesAreKept),
    Check("a change set adds its outbox entry in the same transaction", changeSetLeavesWord),
    Check("the matching position of an outbox entry is stored", positionIsKept),
    Check("an entry is removed with its images, and its number is not used again", entryGoes),
    Check("an outbox entry is kept when its zone is deleted", entryOutlivesZone),
  ]

  private static let origin = ChangeOrigin(
    user: "_bob", deviceID: "d'1", notificationID: "N-1", time: 1_700_000_000_001)

  /// The outbox contains events of several kinds, from several databases.
  static func outboxIsInOrder(_ store: any Store) async throws {
    let nameless = ChangeOrigin(user: "_ann", deviceID: nil, notificationID: "N-2", time: 2)
    let changed = WatchedChange.Event.recordsChanged(
      ChangeRange(after: 3, through: 1 << 40), recordTypes: ["A", "B_2"])
    let none = WatchedChange.Event.recordsChanged(
      ChangeRange(after: 0, through: 1), recordTypes: [])
    let zones = try await store.write { (body) throws(ServerError) in
      let ann = try body.createZone(named: "Z", in: Sample.ann)
      let all = try body.createZone(named: ZoneID.defaultZoneName, in: .public)
      try body.add(WatchedChange(zone: all, event: none, origin: origin))
      try body.add(WatchedChange(zone: ann, event: changed, origin: nameless))
      try body.add(WatchedChange(zone: ann, event: .zoneMade, origin: origin))
      try body.add(WatchedChange(zone: ann, event: .zoneDeleted, origin: origin))
      return [all, ann]
    }
    let (entries, first) = try await store.read { (body) throws(ServerError) in
      (try body.outboxEntries(limit: 10), try body.outboxEntries(limit: 2))
    }
    try expect(entries.map(\.event), [none, changed, .zoneMade, .zoneDeleted])
    try expect(entries.map(\.origin), [origin, nameless, origin, origin])
    try expect(entries.map(\.database), [.public, Sample.ann, Sample.ann, Sample.ann])
    try expect(entries.map(\.zone), [zones[0].id, zones[1].id, zones[1].id, zones[1].id])
    try expect(entries.map(\.zoneName), [ZoneID.defaultZoneName, "Z", "Z", "Z"])
    try expect(entries.map(\.imageCount), [0, 0, 0, 0])
    try expect(entries.map(\.cursor), [nil, nil, nil, nil])
    try expect(entries.map(\.number), entries.map(\.number).sorted())
    try expect(first, Array(entries.prefix(2)))
  }

  /// A record's image contains the whole record, because a filter may use any part of the record.
  static func imagesAreKept(_ store: any Store) async throws {
    let old = Sample.record("a", change: 1, text: #"{"t":{"value":"it's ü","type":"STRING"}}"#)
    var new = Sample.record("a", change: 2, text: #"{"t":{"value":"\u0000","type":"STRING"}}"#)
    new.parentRecordName = "p"
    new.hasAssets = true
    new.modified = Stamp(timestamp: 5, userRecordName: "_bob", deviceID: "b")
    let images = [
      RecordImage(before: old, after: new), RecordImage(before: nil, after: new),
      RecordImage(before: old, after: nil),
    ]
    try await store.write { (body) throws(ServerError) in
      let zone = try body.createZone(named: "Z", in: Sample.ann)
      let event = WatchedChange.Event.recordsChanged(
        ChangeRange(after: 0, through: 3), recordTypes: ["Note"])
      try body.add(WatchedChange(zone: zone, event: event, origin: origin, images: images))
      try body.add(
        WatchedChange(zone: zone, event: event, origin: origin, images: [images[2]]))
    }
    let (entries, read, other) = try await store.read { (body) throws(ServerError) in
      let entries = try body.outboxEntries(limit: 10)
      var read: [RecordImage?] = []
      for position in 0..<4 {
        read.append(try body.recordImage(at: position, of: entries[0].number))
      }
      return (entries, read, try body.recordImage(at: 0, of: entries[1].number))
    }
    try expect(entries.map(\.imageCount), [3, 1])
    try expect(read, images + [nil])
    try expect(other, images[2])
  }

  /// If the transaction is undone, the outbox has no entry.
  static func changeSetLeavesWord(_ store: any Store) async throws {
    let image = RecordImage(before: nil, after: Sample.record("a", change: 1))
    let error = await store.failure { (body) throws(ServerError) in
      try body.save("a", leaving: image, in: try body.someZone("Notes"))
      throw Sample.refusal
    }
    try expect(error, Sample.refusal)
    let before = try await store.read { (body) throws(ServerError) in
      try body.outboxEntries(limit: 10)
    }
    try await store.write { (body) throws(ServerError) in
      try body.save("a", leaving: image, in: try body.someZone("Notes"))
    }
    let (after, found) = try await store.read { (body) throws(ServerError) in
      let entries = try body.outboxEntries(limit: 10)
      return (entries, try body.recordImage(at: 0, of: entries.first?.number ?? 0))
    }
    try expect(before, [])
    try expect(after.count, 1)
    try expect(found, image)
  }

  /// A cursor can be stored for one outbox entry, and can be replaced by a later cursor.
  static func positionIsKept(_ store: any Store) async throws {
    let cursors = [
      OutboxCursor(position: -1, key: .database, subscription: 0),
      OutboxCursor(
        position: 300, key: SubscriptionKey(bytes: [0, 39, 255]), subscription: 1 << 40),
    ]
    var read: [[OutboxCursor?]] = []
    try await store.write { (body) throws(ServerError) in
      try body.saveWord()
      try body.saveWord()
    }
    for cursor in cursors {
      read.append(
        try await store.write { (body) throws(ServerError) in
          let entries = try body.outboxEntries(limit: 2)
          try body.setCursor(cursor, of: entries[0].number)
          return try body.outboxEntries(limit: 2).map(\.cursor)
        })
    }
    try expect(read, cursors.map { [$0, nil] })
  }

  /// The number of a removed entry is not used again. If it were used again, a new subscription
  /// could miss changes that are made after the subscription was created.
  static func entryGoes(_ store: any Store) async throws {
    let image = RecordImage(before: nil, after: Sample.record("a", change: 1))
    let numbers = try await store.write { (body) throws(ServerError) in
      try body.save("a", leaving: image, in: try body.someZone("Notes"))
      return try body.outboxEntries(limit: 10).map(\.number)
    }
    let (left, gone) = try await store.write { (body) throws(ServerError) in
      for number in numbers { try body.removeOutboxEntry(number) }
      return (
        try body.outboxEntries(limit: 10).count, try body.recordImage(at: 0, of: numbers[0])
      )
    }
    let later = try await store.write { (body) throws(ServerError) in
      try body.saveWord()
      return try body.outboxEntries(limit: 10).map(\.number)
    }
    try expect(numbers.count, 1)
    try expect(left, 0)
    try expect(gone, nil)
    try expect((later.first ?? 0) > numbers[0], true)
  }

  /// The outbox entry is kept even when the deleted zone is purged.
  static func entryOutlivesZone(_ store: any Store) async throws {
    let image = RecordImage(before: nil, after: Sample.record("a", change: 1))
    let entries = try await store.write { (body) throws(ServerError) in
      let zone = try body.createZone(named: "Notes", in: Sample.ann)
      try body.save("a", leaving: image, in: zone)
      try body.deleteZone(try body.existing("Notes"))
      _ = try body.createZone(named: "Notes", in: Sample.ann)
      while try body.purge(limit: 10) != nil {}
      return try body.outboxEntries(limit: 10)
    }
    try expect(entries.map(\.zoneName), ["Notes"])
  }
}

extension StoreWriting {
  /// Saves a record with a change set that adds an outbox entry.
  fileprivate func save(
    _ name: String, leaving image: RecordImage, in zone: StoredZone
  ) throws(ServerError) {
    let record = Sample.record(name, change: zone.change + 1)
    let range = ChangeRange(after: zone.change, through: zone.change + 1)
    let word = WatchedChange(
      zone: zone, event: .recordsChanged(range, recordTypes: ["Note"]),
      origin: ChangeOrigin(user: "_ann", deviceID: "d", notificationID: "n", time: 1),
      images: [image])
    try apply(ChangeSet(zone: zone, records: [record], watched: word))
  }
}
