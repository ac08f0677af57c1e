import StratusWire

/// A piece of the records in the store, and the entries they need in indexes that are being built.
///
/// It is read in steps beside the writer, and written in the order of the entries' table, so that
/// neighbours are written together: in the order of the records each entry would cost a page.
/// What changes in between is found by the zones' changes, and made up for when it is written.
struct IndexChunk: Sendable {
  let recordType: String
  let indexes: [QueryIndex]
  /// Behind it the piece begins; nil: with the first record.
  let start: IndexBuildPlace?
  /// The last place of the piece; nil: it goes to the end.
  private(set) var end: IndexBuildPlace?
  private(set) var rowsLooked = 0
  private var sizeBytes = 0
  private var runs: [EntryRun] = []
  /// Up to which change the entries say what each zone holds.
  private var changes: [RecordHome: Int64] = [:]

  private init(recordType: String, indexes: [QueryIndex], start: IndexBuildPlace?) {
    self.recordType = recordType
    self.indexes = indexes
    self.start = start
  }

  /// Reads the next piece for the indexes of a type that are furthest behind.
  ///
  /// It ends where another index stands, if it comes so far: from there both go on together.
  ///
  /// - Parameter wanted: indexes that are waited for.
  /// - Returns: nil if all of these are ready.
  static func read(
    for wanted: [Int64], by builder: IndexBuilder, rowsMax: Int, sizeBytesMax: Int
  ) async throws(ServerError) -> IndexChunk? {
    let recordType = builder.recordType
    let begin = try await builder.store.read {
      (store) throws(ServerError) -> (chunk: IndexChunk, goal: IndexBuildPlace?)? in
      let builds = try store.indexBuilds(ofType: recordType)
      guard builds.contains(where: { wanted.contains($0.index) }) else { return nil }
      let start = builds.contains { $0.place == nil } ? nil : builds.compactMap(\.place).first()
      let behind = Set(builds.filter { $0.place == start }.map(\.index))
      let schema = try store.schema()
      let indexes = schema.indexes[recordType]?.filter { behind.contains($0.id) } ?? []
      return (
        IndexChunk(recordType: recordType, indexes: indexes, start: start),
        builds.filter { $0.place != start }.compactMap(\.place).first()
      )
    }
    guard let begin else { return nil }
    var chunk = begin.chunk
    let goal = begin.goal
    chunk.end = chunk.start
    repeat {
      let limit = min(builder.stepRows, rowsMax - chunk.rowsLooked)
      chunk = try await builder.store.read { [chunk] (store) throws(ServerError) in
        var chunk = chunk
        try chunk.take(limit, until: goal, from: store)
        return chunk
      }
    } while chunk.end != nil && chunk.end != goal && chunk.rowsLooked < rowsMax
      && chunk.sizeBytes < sizeBytesMax
    return chunk
  }

  /// One step.
  private mutating func take(
    _ limit: Int, until goal: IndexBuildPlace?, from store: any StoreReading
  ) throws(ServerError) {
    let schema = try store.schema()
    let step = try store.recordsToIndex(ofType: recordType, after: end, limit: limit)
    let needed = indexes.fieldsNeeded(in: schema.recordTypes[recordType])
    end = step.next
    var run = EntryRun()
    for item in step.items {
      let place = IndexBuildPlace(
        database: item.database, zone: item.zone, recordName: item.record.name)
      if let goal, goal.lies(before: place) { break }
      let home = RecordHome(database: item.database, zone: item.zone)
      // NB: the earliest one counts, where several steps came by a zone.
      if changes[home] == nil { changes[home] = step.newestChanges[item.zone] }
      let values = try item.record.fields.storedValues(of: needed)
      for index in indexes {
        for entry in index.entries(of: item.record, values: values) {
          run.append(entry, of: item.record.name, in: home)
        }
      }
    }
    if let goal, end.map({ goal.lies(before: $0) }) ?? true { end = goal }
    run.sort()
    rowsLooked += limit
    sizeBytes += run.sizeBytes
    runs.append(run)
  }
}

// Writing
extension IndexChunk {
  /// Adds the entries, and says how far the indexes are built, in steps of a transaction each.
  func write(to store: any Store) async throws(ServerError) {
    var merge = EntryMerge(runs)
    var progress = Progress(changes: changes)
    while true {
      let entries = merge.next(Limits.indexBuildStepEntries)
      if entries.isEmpty { break }
      var isWritten = false
      while !isWritten {
        (progress, isWritten) = try await store.write { [progress] (store) throws(ServerError) in
          var progress = progress
          let isWritten = try add(entries, progress: &progress, to: store)
          return (progress, isWritten)
        }
      }
    }
    try await store.write { (store) throws(ServerError) in
      // Another process may have built them, too, and be further.
      let builds = try store.indexBuilds(ofType: recordType)
      for index in indexes where builds.contains(IndexBuild(index: index.id, place: start)) {
        try store.setBuildPlace(end, of: index.id)
      }
    }
  }

  /// What is known of the records since they were read.
  private struct Progress: Sendable {
    /// Up to which change each zone was looked at.
    var changes: [RecordHome: Int64]
    /// Zones that were deleted; their entries would stay for ever.
    var gone: Set<RecordHome> = []
    /// Records that are not as they were read.
    var changed: Set<IndexBuildPlace> = []
  }

  /// - Returns: false if so much has changed that this has to be done first.
  private func add(
    _ entries: [PlacedEntry], progress: inout Progress, to store: any StoreWriting
  ) throws(ServerError) -> Bool {
    var room = Limits.indexBuildStepRows
    for home in Set(entries.map(\.home)) {
      if room <= 0 { return false }
      guard try follow(home, limit: room, progress: &progress, to: store, room: &room) else {
        return false
      }
    }
    var group: [IndexEntry] = []
    for (place, placed) in entries.enumerated() {
      if place > 0, entries[place - 1].home != placed.home {
        try store.add(group, in: entries[place - 1].home)
        group = []
      }
      if progress.gone.contains(placed.home) { continue }
      if !progress.changed.isEmpty,
        progress.changed.contains(placed.home.place(of: placed.recordName))
      {
        continue
      }
      group.append(placed.entry)
    }
    if let last = entries.last { try store.add(group, in: last.home) }
    return true
  }

  /// Gives the records of a zone that have changed the entries of what they hold now.
  ///
  /// NB: the save that changed one wrote only those that came by it, as if the others were there.
  private func follow(
    _ home: RecordHome, limit: Int, progress: inout Progress, to store: any StoreWriting,
    room: inout Int
  ) throws(ServerError) -> Bool {
    guard let change = progress.changes[home] else { return true }
    let found = try store.changesToIndex(
      in: home.zone, of: home.database, since: change, limit: limit)
    guard let found else {
      progress.gone.insert(home)
      progress.changes[home] = nil
      return true
    }
    if found.change == change { return true }
    progress.changes[home] = found.change
    room -= found.records.count
    let type = try store.schema().recordTypes[recordType]
    let needed = indexes.fieldsNeeded(in: type)
    var entries: [IndexEntry] = []
    for record in found.records {
      let place = home.place(of: record.name)
      guard holds(place) else { continue }
      progress.changed.insert(place)
      if record.isDeleted || !record.type.utf8.elementsEqual(recordType.utf8) { continue }
      let values = try record.fields.storedValues(of: needed)
      for index in indexes { entries += index.entries(of: record, values: values) }
    }
    try store.add(entries, in: home)
    return !found.hasMore
  }

  private func holds(_ place: IndexBuildPlace) -> Bool {
    if let start, !start.lies(before: place) { return false }
    if let end, end.lies(before: place) { return false }
    return true
  }
}

extension RecordHome {
  fileprivate func place(of recordName: String) -> IndexBuildPlace {
    IndexBuildPlace(database: database, zone: zone, recordName: recordName)
  }
}

extension IndexWriting {
  fileprivate func add(_ entries: [IndexEntry], in home: RecordHome) throws(ServerError) {
    if !entries.isEmpty { try add(entries, of: home.zone, in: home.database) }
  }
}

extension [IndexBuildPlace] {
  /// The one that a walk comes by first.
  fileprivate func first() -> IndexBuildPlace? { self.min { $0.lies(before: $1) } }
}
