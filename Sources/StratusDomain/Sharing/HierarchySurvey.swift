import StratusWire

/// The shared roots of a zone and the records above them, for the checks of a batch that shares
/// more roots.
///
/// The records above all stored roots are read once for a batch, level by level, and not once for
/// each root that the batch adds.
struct HierarchySurvey {
  /// The position of a record relative to the shared roots.
  enum Place: Sendable, Hashable {
    /// No shared root is above, at or below the record.
    case free
    case belowRoot
    /// The record is a shared root, or a shared root is below it.
    case aboveRoot
  }

  private let zone: StoredZone
  /// The known parents: those that the batch saves, and those that were read. The value is nil for
  /// a record without a parent.
  private var parents: [ExactName: String?]
  private var roots: Set<ExactName> = []
  /// The roots and all records above them.
  private var above: Set<ExactName> = []
  /// The number of records that were looked up.
  private(set) var namesRead = 0

  /// - Parameter parents: the parents of records that the batch is about to save, or nil for a
  ///   record without a parent.
  init(
    of zone: StoredZone, parents: [ExactName: String?], in store: any StoreReading
  ) throws(ServerError) {
    self.zone = zone
    self.parents = parents
    var last: String?
    while true {
      let limit = Limits.zonesPerRequestMax
      let page = try store.sharedRoots(in: zone, after: last, limit: limit)
      roots.formUnion(page.map(ExactName.init))
      last = page.last
      if page.count < limit { break }
    }
    namesRead += roots.count
    try walkUp(from: roots, in: store)
  }

  /// Adds a root, unless it is above, at or below another root. Returns its place relative to the
  /// other roots.
  mutating func add(
    _ name: ExactName, in store: any StoreReading
  ) throws(ServerError) -> Place {
    if above.contains(name) { return .aboveRoot }
    var path: Set<ExactName> = [name]
    var current = name
    for _ in 0..<Limits.hierarchyDepthMax {
      if parents[current] == nil { try read([current], in: store) }
      guard let parent = (parents[current] ?? nil).map(ExactName.init),
        path.insert(parent).inserted
      else { break }
      if roots.contains(parent) { return .belowRoot }
      current = parent
    }
    roots.insert(name)
    above.formUnion(path)
    return .free
  }

  private mutating func walkUp(
    from start: Set<ExactName>, in store: any StoreReading
  ) throws(ServerError) {
    var places = start
    above = start
    for _ in 0..<Limits.hierarchyDepthMax where !places.isEmpty {
      try read(places.filter { parents[$0] == nil }, in: store)
      let next = places.compactMap { (parents[$0] ?? nil).map(ExactName.init) }
      places = Set(next).subtracting(above)
      above.formUnion(places)
    }
  }

  private mutating func read(
    _ names: Set<ExactName>, in store: any StoreReading
  ) throws(ServerError) {
    namesRead += names.count
    let positions = try store.positions(of: names.map(\.text), in: zone)
    for name in names { parents[name] = .some(positions[name]?.parentName) }
  }
}
