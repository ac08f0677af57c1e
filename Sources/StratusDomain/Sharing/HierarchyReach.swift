import StratusWire

/// Finds the shared hierarchies of changed records, and the ``Passage``s that result from the
/// change.
///
/// A record is in the hierarchy of the nearest shared root at or above it. The root's own parent
/// does not matter. If a record changes its hierarchy, the records below it follow, as far as one
/// transaction allows.
final class HierarchyReach {
  private(set) var passages: [Passage] = []
  /// Records whose children have not all been moved to the new hierarchy.
  private(set) var unfinished: [UnfinishedHierarchy] = []
  /// The root of each written record's hierarchy after the change, or nil if the record is in none.
  private(set) var roots: [ExactName: String?] = [:]
  /// Records whose chain of parents is longer than ``Limits/hierarchyDepthMax``.
  private(set) var tooDeep: Set<ExactName> = []
  /// The number of records that were examined because a record above them moved.
  private(set) var examinedCount = 0

  private let zone: StoredZone
  private let time: Int64
  private let limit: Int
  private let store: any StoreReading
  /// The written records.
  private var written: [ExactName: StoredRecord] = [:]
  private var before: [ExactName: String] = [:]
  private var shared: [ExactName: Bool] = [:]
  /// The stored parents of records that are not written, or nil for a record without a parent.
  private var parents: [ExactName: String?] = [:]
  /// The number of the newest change so far.
  private var change: Int64
  /// Records that changed their hierarchy, and whose children have not been examined.
  private var frontier: [(parent: UnfinishedHierarchy, root: String?)] = []

  /// - Parameters:
  ///   - change: the number of the newest change before the passages.
  ///   - time: milliseconds since 1970 UTC.
  ///   - limit: the maximum number of records that follow their parents in this transaction.
  private init(
    in zone: StoredZone, after change: Int64, at time: Int64, limit: Int,
    of store: any StoreReading
  ) {
    (self.zone, self.time, self.limit, self.store) = (zone, time, limit, store)
    self.change = change
  }

  /// Finds the ``Passage``s of written records and of the records below them.
  convenience init(
    of records: [StoredRecord], in zone: StoredZone, at time: Int64,
    limit: Int = Limits.hierarchyStepMax, of store: any StoreReading
  ) throws(ServerError) {
    self.init(
      in: zone, after: zone.change + Int64(records.count), at: time, limit: limit, of: store)
    guard zone.hasHierarchies, !records.isEmpty else { return }
    let names = records.map(\.name)
    for record in records { written[ExactName(record.name)] = record }
    before = try store.hierarchies(of: names, in: zone)
    try findSharedRoots(among: names)
    try readAncestors()
    for record in records {
      let root = try record.isDeleted ? nil : root(of: record.name)
      roots[ExactName(record.name)] = .some(root)
      move(record.name, of: record.type, from: before[record.name], to: root, at: record.change)
    }
    try follow()
  }

  /// Finds the ``Passage``s that result from adding or removing a root.
  convenience init(
    ofRoot name: String, in zone: StoredZone, at time: Int64,
    limit: Int = Limits.hierarchyStepMax, of store: any StoreReading
  ) throws(ServerError) {
    self.init(in: zone, after: zone.change, at: time, limit: limit, of: store)
    before = try store.hierarchies(of: [name], in: zone)
    let type = try store.positions(of: [name], in: zone)[name]?.recordType
    let root = try type == nil ? nil : root(of: name)
    if before[name] == nil, root == nil { return }
    change += 1
    move(name, of: type ?? "", from: before[name], to: root, at: change)
    try follow()
  }

  /// Finds the ``Passage``s of records that still have to follow their parent.
  convenience init(
    continuing hierarchy: UnfinishedHierarchy, in zone: StoredZone, at time: Int64,
    limit: Int = Limits.hierarchyStepMax, of store: any StoreReading
  ) throws(ServerError) {
    self.init(in: zone, after: zone.change, at: time, limit: limit, of: store)
    let parent = hierarchy.parentName
    frontier = [(hierarchy, try store.hierarchies(of: [parent], in: zone)[parent])]
    try follow()
  }

  /// Adds the ``Passage``s of one record. They name the hierarchy that the record has left, and the
  /// hierarchy that it is in.
  ///
  /// NB: a record leaves before it joins, because the store allows a record only one hierarchy.
  private func move(
    _ name: String, of type: String, from old: String?, to new: String?, at change: Int64
  ) {
    let isSame = old.map(ExactName.init) == new.map(ExactName.init)
    if let old, !isSame {
      passages.append(
        Passage(
          change: change, recordName: name, recordType: type, rootName: old, kind: .left,
          time: time))
    }
    if let new {
      passages.append(
        Passage(
          change: change, recordName: name, recordType: type, rootName: new, kind: .joined,
          time: time))
    }
    if !isSame { frontier.append((UnfinishedHierarchy(zone: zone, parentName: name), new)) }
  }

  // Upwards

  /// Returns the root of a record's hierarchy after the change. A shared root is its own root. Any
  /// other record has the root of its parent.
  ///
  /// NB: if this change does not write the parent, the parent's stored hierarchy is used, although
  /// this change or a later step may move the parent. A later step then moves this record, too. If
  /// the record were moved before its parent, and the parent were never moved, the record would
  /// stay wrong, because a step examines only the children of moved records.
  private func root(of name: String) throws(ServerError) -> String? {
    let exact = ExactName(name)
    if let known = roots[exact] { return known }
    var found: String?
    if try isSharedRoot(exact) {
      found = name
    } else if let parent = try parent(of: exact), try !isBelowItself(exact) {
      found =
        try written[parent] == nil
        ? store.hierarchies(of: [parent], in: zone)[parent] : root(of: parent)
    }
    roots[exact] = .some(found)
    return found
  }

  /// Reads the chains of parents of all written records together, level by level.
  private func readAncestors() throws(ServerError) {
    var level = Set(
      written.values.filter { !$0.isDeleted }.compactMap { $0.parentRecordName.map(ExactName.init) }
    )
    for _ in 0..<Limits.hierarchyDepthMax {
      level = level.filter { written[$0] == nil && parents[$0] == nil }
      if level.isEmpty { return }
      try findSharedRoots(among: level.map(\.text))
      let positions = try store.positions(of: level.map(\.text), in: zone)
      for name in level { parents[name] = .some(positions[name]?.parentName) }
      level = Set(
        level.filter { shared[$0] == false }.compactMap { name in
          positions[name]?.parentName.map(ExactName.init)
        })
    }
  }

  /// Whether the chain of a record's parents leads back to it. Adds the record to ``tooDeep`` if
  /// the chain is too long.
  private func isBelowItself(_ name: ExactName) throws(ServerError) -> Bool {
    var seen: Set<ExactName> = []
    var current = try parent(of: name)
    while let next = current.map(ExactName.init) {
      if next == name { return true }
      if try isSharedRoot(next) || !seen.insert(next).inserted { return false }
      if seen.count >= Limits.hierarchyDepthMax {
        tooDeep.insert(name)
        return false
      }
      current = try parent(of: next)
    }
    return false
  }

  private func parent(of name: ExactName) throws(ServerError) -> String? {
    if let record = written[name] { return record.isDeleted ? nil : record.parentRecordName }
    if let known = parents[name] { return known }
    let found = try store.positions(of: [name.text], in: zone)[name]?.parentName
    parents[name] = .some(found)
    return found
  }

  private func isSharedRoot(_ name: ExactName) throws(ServerError) -> Bool {
    if shared[name] == nil { try findSharedRoots(among: [name.text]) }
    return shared[name] ?? false
  }

  private func findSharedRoots(among names: [String]) throws(ServerError) {
    let found = try store.sharedRoots(among: names, in: zone)
    for name in names { shared[ExactName(name)] = found.contains(ExactName(name)) }
  }

  // Downwards

  /// Moves children to the hierarchies of their parents, the nearest first.
  private func follow() throws(ServerError) {
    try dropChildless(from: 0)
    var next = 0
    var moved: Set<ExactName> = []
    while next < frontier.count {
      var parent = frontier[next].parent
      let root = frontier[next].root
      let room = limit - examinedCount
      if room <= 0 { break }
      next += 1
      let links = try store.links(
        .parent, to: parent.parentName, after: parent.cursor, in: zone, limit: room)
      examinedCount += max(1, links.count)
      let children = links.map(\.source).filter { written[$0] == nil }
      let known = frontier.count
      try moveChildren(children, to: root, moved: &moved)
      try dropChildless(from: known)
      guard links.count >= room else { continue }
      parent.cursor = links.last?.source
      frontier[next - 1].parent = parent
      next -= 1
    }
    unfinished = frontier[next...].map(\.parent)
    frontier = []
    let behind = movedParents(among: moved)
    unfinished.removeAll { behind.contains(ExactName($0.parentName)) }
    unfinished += behind.sorted { $0.text < $1.text }.map {
      UnfinishedHierarchy(zone: zone, parentName: $0.text)
    }
  }

  /// Returns the moved records that are parents of written records. The written records have got
  /// the earlier hierarchies of these parents, so a later step must move the written records, too.
  private func movedParents(among moved: Set<ExactName>) -> Set<ExactName> {
    if moved.isEmpty { return [] }
    let parents = written.values.filter { !$0.isDeleted }.compactMap {
      $0.parentRecordName.map(ExactName.init)
    }
    return moved.intersection(parents)
  }

  /// Removes records without children from ``frontier``, because nothing has to follow them.
  private func dropChildless(from start: Int) throws(ServerError) {
    if start >= frontier.count { return }
    let names = frontier[start...].map(\.parent.parentName)
    let parents = try store.parents(among: names, in: zone)
    let kept = frontier[start...].filter { parents.contains(ExactName($0.parent.parentName)) }
    frontier.replaceSubrange(start..., with: kept)
  }

  private func moveChildren(
    _ names: [String], to root: String?, moved: inout Set<ExactName>
  ) throws(ServerError) {
    let roots = try store.sharedRoots(among: names, in: zone)
    let old = try store.hierarchies(of: names, in: zone)
    let outdated = names.filter { name in
      !roots.contains(ExactName(name)) && !moved.contains(ExactName(name))
        && old[name].map(ExactName.init) != root.map(ExactName.init)
    }
    let positions = try store.positions(of: outdated, in: zone)
    for name in outdated {
      guard let position = positions[name] else { continue }
      moved.insert(ExactName(name))
      change += 1
      move(name, of: position.recordType, from: old[name], to: root, at: change)
    }
  }
}
