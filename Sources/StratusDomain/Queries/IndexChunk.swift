import StratusWire

/// One chunk of the stored records, with their entries in the indexes that are being built.
///
/// The builder reads a chunk in several steps while writers continue. It writes the entries in the
/// order of the entries' table, so that neighbours are written together. If it wrote them in the
/// order of the records, each entry would change a different page of the store. Before the entries
/// are written, the builder uses the zones' change feeds to find the records that changed after
/// they were read, and corrects their entries.
struct IndexChunk: Sendable {
  let recordType: String
  let indexes: [QueryIndex]
  /// The position after which the chunk begins, or nil if it begins with the first record.
  let start: IndexBuildCursor?
  /// The last position of the chunk, or nil if the chunk goes to the last record.
  private(set) var end: IndexBuildCursor?
  private(set) var rowsLooked = 0
  private var sizeBytes = 0
  private var runs: [EntryRun] = []
  /// For each zone, the change number up to which the entries are current.
  private var changes: [RecordHome: Int64] = [:]

  private init(recordType: String, indexes: [QueryIndex], start: IndexBuildCursor?) {
    self.recordType = recordType
    self.indexes = indexes
    self.start = start
  }

  /// Reads the next chunk for those indexes of a record type whose builds are furthest behind.
  ///
  /// If another index of the type has been built further, the chunk does not go beyond that index's
  /// position. From that position on, the indexes are built together.
  ///
  /// - Parameter wanted: the indexes that the request waits for.
  /// - Returns: the chunk, or nil if all wanted indexes are ready.
  static func read(
    for wanted: [Int64], by builder: IndexBuilder, rowsMax: Int, sizeBytesMax: Int
  ) async throws(ServerError) -> IndexChunk? {
    let recordType = builder.recordType
    let begin = try await builder.store.read {
      (store) throws(ServerError) -> (chunk: IndexChunk, goal: IndexBuildCursor?)? in
      let builds = try store.indexBuilds(ofType: recordType)
      guard builds.contains(where: { wanted.contains($0.index) }) else { return nil }
      let start = builds.contains { $0.cursor == nil } ? nil : builds.compactMap(\.cursor).first()
      let behind = Set(builds.filter { $0.cursor == start }.map(\.index))
      let schema = try store.schema()
      let indexes = schema.indexes[recordType]?.filter { behind.contains($0.id) } ?? []
      return (
        IndexChunk(recordType: recordType, indexes: indexes, start: start),
        builds.filter { $0.cursor != start }.compactMap(\.cursor).first()
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

  /// Reads one step of the chunk.
  private mutating func take(
    _ limit: Int, until goal: IndexBuildCursor?, from store: any StoreReading
  ) throws(ServerError) {
    let schema = try store.schema()
    let step = try store.recordsToIndex(ofType: recordType, after: end, limit: limit)
    let needed = indexes.fieldsNeeded(in: schema.recordTypes[recordType])
    end = step.next
    var run = EntryRun()
    for item in step.items {
      let cursor = IndexBuildCursor(
        database: item.database, zone: item.zone, recordName: item.record.name)
      if let goal, goal.lies(before: cursor) { break }
      let home = RecordHome(database: item.database, zone: item.zone)
      // NB: if several steps read from one zone, the change number of the first step is kept. The
      // zone may have changed between the steps.
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
  /// Adds the entries, and stores how far the indexes are built. Each step is one transaction.
  ///
  /// Entries of an index whose build is cancelled meanwhile are left out, because nothing would
  /// remove them later.
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
          progress.indexes = Set(try store.indexBuilds(ofType: recordType).map(\.index))
          let isWritten = try add(entries, progress: &progress, to: store)
          return (progress, isWritten)
        }
      }
    }
    try await store.write { (store) throws(ServerError) in
      // Another process may also have built these indexes, and may already have got further.
      let builds = try store.indexBuilds(ofType: recordType)
      for index in indexes where builds.contains(IndexBuild(index: index.id, cursor: start)) {
        try store.setBuildCursor(end, of: index.id)
      }
    }
  }

  /// Keeps track of the records that change after the chunk has read them.
  private struct Progress: Sendable {
    /// For each zone, the change number up to which its changes were processed.
    var changes: [RecordHome: Int64]
    /// Deleted zones. No entries are added for them, because nothing would remove these entries.
    var gone: Set<RecordHome> = []
    /// Records that changed after they were read.
    var changed: Set<IndexBuildCursor> = []
    /// The indexes that are still being built.
    var indexes: Set<Int64> = []
  }

  /// - Returns: false if a zone has too many changes for one step. The method must then be called
  ///   again.
  private func add(
    _ entries: [LocatedEntry], progress: inout Progress, to store: any StoreWriting
  ) throws(ServerError) -> Bool {
    var budget = Limits.indexBuildStepRows
    for home in Set(entries.map(\.home)) {
      if budget <= 0 { return false }
      guard try follow(home, limit: budget, progress: &progress, to: store, budget: &budget) else {
        return false
      }
    }
    var group: [IndexEntry] = []
    for (cursor, placed) in entries.enumerated() {
      if cursor > 0, entries[cursor - 1].home != placed.home {
        try store.add(group, in: entries[cursor - 1].home)
        group = []
      }
      if progress.gone.contains(placed.home) { continue }
      if !progress.changed.isEmpty,
        progress.changed.contains(placed.home.cursor(of: placed.recordName))
      {
        continue
      }
      if progress.indexes.contains(placed.entry.index) { group.append(placed.entry) }
    }
    if let last = entries.last { try store.add(group, in: last.home) }
    return true
  }

  /// Adds current entries for the records of a zone that have changed since they were read.
  ///
  /// NB: the save that changed a record wrote only the entries that the record's earlier state did
  /// not have. The save assumed that the other entries already exist.
  private func follow(
    _ home: RecordHome, limit: Int, progress: inout Progress, to store: any StoreWriting,
    budget: inout Int
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
    budget -= found.records.count
    let type = try store.schema().recordTypes[recordType]
    let needed = indexes.fieldsNeeded(in: type)
    var entries: [IndexEntry] = []
    for record in found.records {
      let cursor = home.cursor(of: record.name)
      guard holds(cursor) else { continue }
      progress.changed.insert(cursor)
      if record.isDeleted || !record.type.utf8.elementsEqual(recordType.utf8) { continue }
      let values = try record.fields.storedValues(of: needed)
      for index in indexes where progress.indexes.contains(index.id) {
        entries += index.entries(of: record, values: values)
      }
    }
    try store.add(entries, in: home)
    return !found.hasMore
  }

  private func holds(_ cursor: IndexBuildCursor) -> Bool {
    if let start, !start.lies(before: cursor) { return false }
    if let end, end.lies(before: cursor) { return false }
    return true
  }
}

extension RecordHome {
  fileprivate func cursor(of recordName: String) -> IndexBuildCursor {
    IndexBuildCursor(database: database, zone: zone, recordName: recordName)
  }
}

extension IndexWriting {
  fileprivate func add(_ entries: [IndexEntry], in home: RecordHome) throws(ServerError) {
    if !entries.isEmpty { try add(entries, of: home.zone, in: home.database) }
  }
}

extension [IndexBuildCursor] {
  /// Returns the position that comes first when all records are read in order.
  fileprivate func first() -> IndexBuildCursor? { self.min { $0.lies(before: $1) } }
}
