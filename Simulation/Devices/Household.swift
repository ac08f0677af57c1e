import StratusTesting

/// The state that all devices of a simulation share.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class Household: @unchecked Sendable {
  let cloud: Cloud
  let mishaps: Mishaps
  let ledger: Ledger
  let plan: Plan
  let traffic = Traffic()
  private var chance: SeededChance
  /// Whether the users still edit records.
  var isEditing = true
  /// Whether all mishaps are over.
  var isCalm = false

  init(cloud: Cloud, mishaps: Mishaps, ledger: Ledger, plan: Plan, chance: SeededChance) {
    self.cloud = cloud
    self.mishaps = mishaps
    self.ledger = ledger
    self.plan = plan
    self.chance = chance
  }

  func percent(_ likelihood: Int) -> Bool { chance.percent(likelihood) }
  func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &chance) }
  func seconds(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &chance) }

  /// Picks one element. The choice does not depend on the order of the elements.
  func one<Element: Comparable>(of elements: some Collection<Element>) -> Element? {
    if elements.isEmpty { return nil }
    return elements.sorted()[number(0...elements.count - 1)]
  }

  /// Draws the next edit of a user of a device.
  ///
  /// - Parameter fetched: the zones that the device has fetched. NB: users save marks only in these
  ///   zones and in the permanent zone. For any other zone, the device could not know that it was
  ///   deleted and created again.
  func nextEdit(on contents: Contents, fetched: Set<String>) -> Edit {
    let kept = plan.keptRecords
    switch number(0...99) {
    case 0..<35: return .mark(RecordKey(zone: RecordKey.keptZone, name: "keep-\(number(1...kept))"))
    case 35..<60:
      return .mark(RecordKey(zone: RecordKey.keptZone, name: "leaf-\(number(1...kept))"))
    case 60..<70:
      let leaves = contents.records.keys.filter { !$0.isKept }
      return one(of: leaves).map { .delete($0) } ?? .nothing
    case 70..<88:
      let trips = contents.zones.intersection(fetched).filter { $0 != RecordKey.keptZone }
      guard let zone = one(of: trips) else { return .makeZone("Trip-1") }
      return .mark(RecordKey(zone: zone, name: "note-\(number(1...4))"))
    case 88..<95: return .makeZone("Trip-\(number(1...3))")
    default:
      let trips = contents.zones.filter { $0 != RecordKey.keptZone }
      return one(of: trips).map { .deleteZone($0) } ?? .nothing
    }
  }
}

/// An edit of a user on a device.
enum Edit: Sendable {
  case mark(RecordKey)
  case delete(RecordKey)
  case makeZone(String)
  case deleteZone(String)
  case nothing
}
