/// An element of a `PendingList`, which has at most one element for each subject.
protocol Listed: Hashable, Sendable {
  associatedtype Subject: Hashable & Sendable
  /// The record or zone that the element concerns.
  var subject: Subject { get }
  /// Whether equal elements may differ in parts that equality does not compare.
  static var equalsMayDiffer: Bool { get }
}

extension Listed {
  static var equalsMayDiffer: Bool { false }
}

/// A list in the order of arrival, with at most one entry for each subject (a record or a zone).
///
/// The average cost of adding, finding and removing an entry does not depend on the list's length.
struct PendingList<Element: Listed>: Sendable {
  /// The entries in order, with gaps where entries were removed.
  private(set) var slots = PendingSlots<Element>()
  private var stamps: [Int] = []
  private var indices: [Element.Subject: Int] = [:]
  private var ordered = OrderedSlots<Element>()

  init() {}

  init(_ elements: [Element]) {
    for element in elements { put(element, stamp: 0) }
  }

  var count: Int { indices.count }
  var isEmpty: Bool { indices.isEmpty }
  var elements: [Element] { slots.elements }

  /// The entries in order. A call is cheap if few entries were added since the last call, and if
  /// the entries that were removed since then are near each other.
  mutating func orderedElements() -> [Element] { ordered.elements(of: slots) }

  /// The entry for a subject.
  subscript(subject: Element.Subject) -> Element? { indices[subject].flatMap { slots[$0] } }

  /// The `stamp` with which a subject's entry was last added; nil if there is no entry.
  func stamp(of subject: Element.Subject) -> Int? { indices[subject].map { stamps[$0] } }

  /// Adds an entry at the end. An equal entry in the list keeps its position. A different entry for
  /// the same subject is removed.
  ///
  /// - Parameter stamp: the state's `stamp` at this addition. It replaces the stamp of an entry
  ///   that keeps its position.
  /// - Returns: whether the list has changed.
  @discardableResult
  mutating func put(_ element: Element, stamp: Int) -> Bool {
    let subject = element.subject
    if let index = indices[subject] {
      if slots[index] == element {
        if Element.equalsMayDiffer { set(element, at: index) }
        stamps[index] = stamp
        return false
      }
      set(nil, at: index)
    }
    append(element, stamp: stamp)
    return true
  }

  /// Moves an entry to the end.
  ///
  /// - Returns: whether the list has the entry.
  @discardableResult
  mutating func putLast(_ element: Element) -> Bool {
    guard let index = indices[element.subject], slots[index] == element else { return false }
    set(nil, at: index)
    append(element, stamp: stamps[index])
    return true
  }

  private mutating func append(_ element: Element, stamp: Int) {
    indices[element.subject] = slots.count
    slots.append(element)
    stamps.append(stamp)
    closeGaps()
  }

  /// Removes an entry.
  ///
  /// - Parameter stamp: the entry is removed only if it was not added again with a later stamp.
  ///   With nil, the entry is removed in any case.
  /// - Returns: whether the entry was removed.
  @discardableResult
  mutating func remove(_ element: Element, notAfter stamp: Int? = nil) -> Bool {
    let subject = element.subject
    guard let index = indices[subject], slots[index] == element else { return false }
    if let stamp, stamps[index] > stamp { return false }
    set(nil, at: index)
    indices[subject] = nil
    closeGaps()
    return true
  }

  private mutating func set(_ element: Element?, at index: Int) {
    slots[index] = element
    ordered.noteChange(at: index)
  }

  /// Removes the gaps when they outnumber the entries, so that the average cost of a removal stays
  /// constant.
  private mutating func closeGaps() {
    guard slots.count > 64, slots.count > 2 * indices.count else { return }
    var kept = PendingSlots<Element>()
    var keptStamps: [Int] = []
    keptStamps.reserveCapacity(indices.count)
    for index in 0..<slots.count {
      guard let element = slots[index] else { continue }
      indices[element.subject] = kept.count
      kept.append(element)
      keptStamps.append(stamps[index])
    }
    slots = kept
    stamps = keptStamps
    ordered = OrderedSlots()
  }
}

/// A cache of a list's entries without the gaps. A call of ``elements(of:)`` updates the cache only
/// where slots have changed.
struct OrderedSlots<Element: Sendable>: Sendable {
  private var elements: [Element] = []
  /// The number of slots that the cache includes.
  private var slotCount = 0
  /// The slots that have changed since the last call of ``elements(of:)``, for example by becoming
  /// gaps, and all slots between them; nil if none has changed.
  private(set) var changed: Range<Int>?

  mutating func noteChange(at index: Int) {
    let old = changed ?? index..<index + 1
    changed = min(old.lowerBound, index)..<max(old.upperBound, index + 1)
  }

  mutating func elements(of slots: PendingSlots<Element>) -> [Element] {
    if let changed = changed?.clamped(to: 0..<slotCount), !changed.isEmpty {
      // The entries before and after the changed slots are still the same.
      let before = slots.entryCount(in: 0..<changed.lowerBound)
      let after = slots.entryCount(in: changed.upperBound..<slotCount)
      elements.replaceSubrange(
        before..<(elements.count - after), with: slots.elements(in: changed))
    }
    elements += slots.elements(in: slotCount..<slots.count)
    slotCount = slots.count
    changed = nil
    return elements
  }
}

/// Stores the slots for entries in arrays of fixed size. If the value has a copy, a change of a few
/// slots copies only the arrays with these slots.
struct PendingSlots<Element: Sendable>: Sendable {
  private static var pieceSize: Int { 512 }

  private var pieces: [[Element?]] = []
  /// The number of entries in each piece, without the gaps.
  private var entryCounts: [Int] = []
  private(set) var count = 0

  subscript(index: Int) -> Element? {
    get { pieces[index / Self.pieceSize][index % Self.pieceSize] }
    set {
      let (piece, place) = (index / Self.pieceSize, index % Self.pieceSize)
      if pieces[piece][place] != nil { entryCounts[piece] -= 1 }
      if newValue != nil { entryCounts[piece] += 1 }
      pieces[piece][place] = newValue
    }
  }

  mutating func append(_ element: Element) {
    if count % Self.pieceSize == 0 {
      pieces.append([])
      entryCounts.append(0)
    }
    pieces[pieces.count - 1].append(element)
    entryCounts[pieces.count - 1] += 1
    count += 1
  }

  /// Returns the number of entries in some slots. The cost depends on the number of pieces, not on
  /// the number of slots.
  func entryCount(in range: Range<Int>) -> Int {
    var found = 0
    var index = range.lowerBound
    while index < range.upperBound {
      let piece = index / Self.pieceSize
      let start = index % Self.pieceSize
      let end = min(pieces[piece].count, start + range.upperBound - index)
      if start == 0, end == pieces[piece].count {
        found += entryCounts[piece]
      } else {
        for place in start..<end where pieces[piece][place] != nil { found += 1 }
      }
      index += end - start
    }
    return found
  }

  /// The entries in order.
  var elements: [Element] { elements(in: 0..<count) }

  /// The entries of some slots, in order.
  func elements(in range: Range<Int>) -> [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      let piece = pieces[index / Self.pieceSize]
      let start = index % Self.pieceSize
      let end = min(piece.count, start + range.upperBound - index)
      for case .some(let element) in piece[start..<end] { elements.append(element) }
      index += end - start
    }
    return elements
  }
}

extension CKSyncEngine.PendingRecordZoneChange: Listed {
  var subject: CKRecord.ID { recordID }
}

extension CKSyncEngine.PendingDatabaseChange: Listed {
  static var equalsMayDiffer: Bool { true }

  var subject: CKRecordZone.ID { zoneID }
}

extension CKRecordZoneID: Listed {
  var subject: CKRecordZoneID { self }
}
