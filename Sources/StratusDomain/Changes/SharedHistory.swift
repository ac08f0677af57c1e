import StratusWire

/// Reads the part of a zone's history that a participant of shared hierarchies sees.
///
/// The history consists of passages: events that put a record into a hierarchy of the participant,
/// or that remove a record from one. A record that is in a hierarchy is delivered in its newest
/// state. A record that left is delivered as a deletion.
struct SharedHistory {
  let zone: StoredZone
  let participation: Participation
  let store: any StoreReading

  /// The passages with one change number, which all belong to one record.
  private struct Event {
    var name: ExactName
    var type: String
    var change: Int64
    var time: Int64
    /// The root of the hierarchy that the record left, or nil if the record is in one of the
    /// participant's hierarchies.
    var left: String?
  }

  /// Reads the next events of a range.
  ///
  /// - Parameter shares: the shares to read, which may be only some of the participation's shares
  ///   (see ``HistoryCursor/shares``).
  /// - Throws: `TRY_AGAIN_LATER` if the first event belongs to a record that is about to leave its
  ///   hierarchy.
  func part(
    of shares: [JoinedShare], range: ChangeRange, newestFirst: Bool, limit: Int, sizeBytesMax: Int
  ) throws(ServerError) -> ZoneHistory.Part {
    let events = events(
      in: try store.passages(
        in: zone, ofHierarchies: shares.compactMap(\.rootName), range: range,
        newestFirst: newestFirst, limit: limit))
    let moved = try movedWithin(events)
    let leaving = try recordsAboutToLeave(events)
    var part = ZoneHistory.Part(changes: [], isExhausted: events.count < limit)
    var sizeBytes = 0
    var rest = events[...]
    while !rest.isEmpty {
      if sizeBytes >= sizeBytesMax {
        part.isExhausted = false
        break
      }
      let group = rest.prefix(Limits.recordsReadTogether)
      let joined = group.filter { $0.left == nil }.map(\.name.text)
      let records = try store.records(named: joined, in: zone)
      for event in group where sizeBytes < sizeBytesMax {
        if leaving.contains(event.name) {
          // NB: the token must not pass this event. If the record stays in the hierarchy after
          // all, it gets no newer event.
          guard part.through != nil else {
            throw ServerError(
              .tryAgainLater, Reason.hierarchyUnsettled, retryAfterSeconds: 1)
          }
          part.isExhausted = false
          return part
        }
        rest = rest.dropFirst()
        part.through = event.change
        guard let record = record(of: event, among: records, moved: moved) else { continue }
        sizeBytes += record.fields.text.count
        part.records.append(record)
        part.changes?.append(event.change)
      }
    }
    return part
  }

  private func events(in passages: [Passage]) -> [Event] {
    var events: [Event] = []
    for passage in passages {
      if events.last?.change != passage.change {
        events.append(
          Event(
            name: ExactName(passage.recordName), type: passage.recordType, change: passage.change,
            time: passage.time, left: passage.rootName))
      }
      if passage.kind == .joined { events[events.count - 1].left = nil }
    }
    return events
  }

  /// The records whose hierarchy is outdated: a record above them has moved, and they have not
  /// followed it yet. Until they follow it, they must be delivered neither as records nor as
  /// deletions.
  private func recordsAboutToLeave(_ events: [Event]) throws(ServerError) -> Set<ExactName> {
    guard try !store.unfinishedParents(in: zone, limit: 1).isEmpty else { return [] }
    let names = events.filter { $0.left == nil }.map(\.name.text)
    let current = try store.readableHierarchies(of: names, in: zone)
    return Set(names.map(ExactName.init)).subtracting(current.keys)
  }

  /// The records that left one of the participant's hierarchies and are now in another. They are
  /// delivered with the passage into that other hierarchy.
  private func movedWithin(_ events: [Event]) throws(ServerError) -> Set<ExactName> {
    let names = events.filter { $0.left != nil }.map(\.name.text)
    if names.isEmpty { return [] }
    let roots = try store.hierarchies(of: names, in: zone)
    return Set(roots.filter { !participation.shares(showing: $0.value).isEmpty }.keys)
  }

  /// Returns the record or tombstone that an event delivers, or nil if it delivers nothing.
  private func record(
    of event: Event, among records: [ExactName: StoredRecord], moved: Set<ExactName>
  ) -> StoredRecord? {
    guard let root = event.left else {
      // NB: a record that has not left its hierarchy is live, so `records` must contain it. If the
      // record is missing nevertheless, a deletion is delivered, which does no harm.
      return records[event.name] ?? tombstone(of: event)
    }
    if moved.contains(event.name) { return nil }
    let since = participation.shares(showing: root).map(\.since).min() ?? .max
    return event.change > since ? tombstone(of: event) : nil
  }

  private func tombstone(of event: Event) -> StoredRecord {
    let stamp = Stamp(timestamp: event.time, userRecordName: "", deviceID: "")
    return StoredRecord(
      name: event.name.text, type: event.type, change: event.change, isDeleted: true,
      created: stamp, modified: stamp, parentRecordName: nil, fields: .empty)
  }
}
