/// What can stand in a list once for what it is about.
protocol Listed: Hashable, Sendable {
  associatedtype Subject: Hashable & Sendable
  /// What it is about.
  var subject: Subject { get }
  /// Whether equal ones may differ in what equality does not look at.
  static var equalsMayDiffer: Bool { get }
}

extension Listed {
  static var equalsMayDiffer: Bool { false }
}

/// A list in the order of arrival, with one entry for each subject.
///
/// Putting in, looking up and removing cost the same however long the list is.
struct PendingList<Element: Listed>: Sendable {
  /// The entries in order, with gaps where some were removed.
  private(set) var slots = PendingSlots<Element>()
  private var stamps: [Int] = []
  private var places: [Element.Subject: Int] = [:]
  private var laidOut = LaidOutSlots<Element>()

  init() {}

  init(_ elements: [Element]) {
    for element in elements { put(element, stamp: 0) }
  }

  var count: Int { places.count }
  var isEmpty: Bool { places.isEmpty }
  var elements: [Element] { slots.elements }

  /// The entries in order, for who asks again and again while few are taken from the front and put
  /// in at the end: that costs by those few.
  mutating func layOut() -> [Element] { laidOut.elements(of: slots, gaps: slots.count - count) }

  /// The entry about a subject.
  subscript(subject: Element.Subject) -> Element? { places[subject].flatMap { slots[$0] } }

  /// Puts an entry at the end; one that is there already keeps its place, and one about the same
  /// subject that says something else goes.
  ///
  /// - Parameter stamp: when; kept with the entry, also where it keeps its place.
  /// - Returns: whether the list is another.
  @discardableResult
  mutating func put(_ element: Element, stamp: Int) -> Bool {
    let subject = element.subject
    if let place = places[subject] {
      if slots[place] == element {
        if Element.equalsMayDiffer { set(element, at: place) }
        stamps[place] = stamp
        return false
      }
      set(nil, at: place)
    }
    append(element, stamp: stamp)
    return true
  }

  /// Puts an entry that is there behind all others.
  ///
  /// - Returns: whether it is there.
  @discardableResult
  mutating func putLast(_ element: Element) -> Bool {
    guard let place = places[element.subject], slots[place] == element else { return false }
    set(nil, at: place)
    append(element, stamp: stamps[place])
    return true
  }

  private mutating func append(_ element: Element, stamp: Int) {
    places[element.subject] = slots.count
    slots.append(element)
    stamps.append(stamp)
    closeGaps()
  }

  /// Removes an entry.
  ///
  /// - Parameter stamp: nil: whenever it was put in; else not if it was put in later.
  /// - Returns: whether it was there.
  @discardableResult
  mutating func remove(_ element: Element, notAfter stamp: Int? = nil) -> Bool {
    let subject = element.subject
    guard let place = places[subject], slots[place] == element else { return false }
    if let stamp, stamps[place] > stamp { return false }
    set(nil, at: place)
    places[subject] = nil
    closeGaps()
    return true
  }

  private mutating func set(_ element: Element?, at place: Int) {
    slots[place] = element
    laidOut.noteChange(at: place)
  }

  /// Keeps the gaps fewer than the entries, so that each costs a share of one pass only.
  private mutating func closeGaps() {
    guard slots.count > 64, slots.count > 2 * places.count else { return }
    var kept = PendingSlots<Element>()
    var keptStamps: [Int] = []
    keptStamps.reserveCapacity(places.count)
    for place in 0..<slots.count {
      guard let element = slots[place] else { continue }
      places[element.subject] = kept.count
      kept.append(element)
      keptStamps.append(stamps[place])
    }
    slots = kept
    stamps = keptStamps
    laidOut = LaidOutSlots()
  }
}

/// The entries of slots without the gaps, kept to be handed out, and brought up to date where slots
/// were changed.
private struct LaidOutSlots<Element: Sendable>: Sendable {
  private var elements: [Element] = []
  /// How many slots these are of, and how many of those were gaps.
  private var slotCount = 0
  private var gaps = 0
  /// All gaps, and all changes since, are of slots before this one.
  private var settledFrom = 0

  mutating func noteChange(at place: Int) { settledFrom = max(settledFrom, place + 1) }

  /// - Parameter gaps: how many of the slots are gaps.
  mutating func elements(of slots: PendingSlots<Element>, gaps: Int) -> [Element] {
    let changed = min(settledFrom, slotCount)
    elements.replaceSubrange(0..<(changed - self.gaps), with: slots.elements(in: 0..<changed))
    elements += slots.elements(in: slotCount..<slots.count)
    slotCount = slots.count
    self.gaps = gaps
    return elements
  }
}

/// Places for entries, in pieces, so that who changes a few of them while a copy is kept, copies
/// few.
struct PendingSlots<Element: Sendable>: Sendable {
  private static var pieceSize: Int { 512 }

  private var pieces: [[Element?]] = []
  private(set) var count = 0

  subscript(place: Int) -> Element? {
    get { pieces[place / Self.pieceSize][place % Self.pieceSize] }
    set { pieces[place / Self.pieceSize][place % Self.pieceSize] = newValue }
  }

  mutating func append(_ element: Element) {
    if count % Self.pieceSize == 0 { pieces.append([]) }
    pieces[pieces.count - 1].append(element)
    count += 1
  }

  /// What is there, in order.
  var elements: [Element] { elements(in: 0..<count) }

  /// What is there in some of the places, in order.
  func elements(in places: Range<Int>) -> [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(places.count)
    var place = places.lowerBound
    while place < places.upperBound {
      let piece = pieces[place / Self.pieceSize]
      let start = place % Self.pieceSize
      let end = min(piece.count, start + places.upperBound - place)
      for case .some(let element) in piece[start..<end] { elements.append(element) }
      place += end - start
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
