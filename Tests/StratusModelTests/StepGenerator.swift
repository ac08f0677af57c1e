import CloudKit
import StratusTesting

/// Generates sequences of steps from a seed.
struct StepGenerator {
  static let devicesCount = 3
  static let namesCount = Arena.Place.recordNames.count
  static let typesCount = 3
  static let fieldsCount = 6

  private static let texts = ["", "plain", "with \"quotes\" and \\", "ünïcödé 🌍", "two\nlines"]

  private var chance: SeededChance

  init(seed: UInt64) { chance = SeededChance(seed: seed) }

  /// Returns a sequence that creates zones and then contains random steps.
  mutating func sequence() -> [Step] {
    var steps: [Step] = [.saveZone(device: 0, zone: 1)]
    if chance.percent(80) { steps.append(.saveZone(device: device(), zone: 2)) }
    for _ in 0..<number(6...22) { steps.append(step()) }
    return steps
  }

  private mutating func step() -> Step {
    switch number(0...99) {
    case 0..<52: .modify(device: device(), modification())
    case 52..<59: fetch()
    case 59..<72:
      .followZone(
        device: device(), zone: chance.percent(3) ? 0 : customZone(), limit: limit(),
        pages: chance.percent(40) ? number(1...2) : nil)
    case 72..<77: .followZones(device: device(), limit: limit())
    case 77..<85:
      .followDatabase(
        device: device(), limit: chance.percent(40) ? 1 : nil,
        pages: chance.percent(30) ? 1 : nil)
    case 85..<88:
      .peek(device: device(), zone: customZone(), limit: limit(), desiredKeys: someFields())
    case 88..<90: .forget(device: device(), zone: customZone())
    case 90..<93: .rewind(device: device(), zone: customZone())
    case 93..<96: .deleteZone(device: device(), zone: customZone())
    default: .saveZone(device: device(), zone: customZone())
    }
  }

  private mutating func modification() -> Modification {
    let size = chance.percent(35) ? 1 : number(1...7)
    var edits: [Edit] = []
    var deletions: [RecordKey] = []
    var keys: Set<RecordKey> = []
    // Most items use the same zone, so that atomic batches contain several items.
    let zone = chance.percent(8) ? 0 : customZone()
    for _ in 0..<size {
      let key = RecordKey(
        zone: chance.percent(85) ? zone : number(0...2), name: number(0...Self.namesCount - 1))
      // An operation that names a record twice fails as a whole.
      if !keys.insert(key).inserted && !chance.percent(3) { continue }
      if chance.percent(25) { deletions.append(key) } else { edits.append(edit(key)) }
    }
    let policy: CKModifyRecordsOperation.RecordSavePolicy =
      chance.percent(60)
      ? .ifServerRecordUnchanged : chance.percent(50) ? .changedKeys : .allKeys
    return Modification(
      edits: edits, deletions: deletions, policy: policy, isAtomic: chance.percent(60),
      form: [.single, .convenience, .operation][number(0...2)],
      adoptsConflicts: chance.percent(60))
  }

  private mutating func edit(_ key: RecordKey) -> Edit {
    let origin: Edit.Origin =
      chance.percent(75) ? .held : chance.percent(50) ? .fresh : .older
    var sets: [Int: Value?] = [:]
    for field in someFields() {
      sets[field] = chance.percent(15) ? .some(nil) : .some(value(of: field))
    }
    // The type of a record usually depends on its name, so a save with another type is rare.
    let type = chance.percent(90) ? key.name % Self.typesCount : number(0...Self.typesCount - 1)
    return Edit(key: key, origin: origin, type: type, sets: sets, parent: parent())
  }

  private mutating func parent() -> ParentEdit {
    switch number(0...99) {
    case 0..<15: .set(name: number(0...Self.namesCount - 1))
    case 15..<22: .removed
    default: .unchanged
    }
  }

  private mutating func value(of field: Int) -> Value {
    let usual = Value.Kind.allCases[field % Value.Kind.allCases.count]
    let kind =
      chance.percent(97) ? usual : Value.Kind.allCases[number(0...Value.Kind.allCases.count - 1)]
    switch kind {
    case .text: return .text(Self.texts[number(0...Self.texts.count - 1)])
    case .number: return .number([0, 1, -1, .max, .min, number(-1_000...1_000)][number(0...5)])
    case .real: return .real(Double(number(-1_000...1_000)) + 0.5)
    case .date: return .date(number(0...2_000_000_000) * 1_000 + number(0...999))
    case .bytes: return .bytes((0..<number(0...5)).map { UInt8($0 * 50) })
    case .reference: return .reference(name: number(0...Self.namesCount - 1))
    case .texts: return .texts((0..<number(1...3)).map { "item \($0)" })
    }
  }

  private mutating func fetch() -> Step {
    let zone = number(0...2)
    let keys = (0..<number(1...4)).map { _ in
      RecordKey(
        zone: chance.percent(80) ? zone : number(0...2), name: number(0...Self.namesCount - 1))
    }
    return .fetch(
      device: device(), Array(Set(keys)).sorted { ($0.zone, $0.name) < ($1.zone, $1.name) },
      desiredKeys: chance.percent(30) ? someFields() : nil)
  }

  private mutating func someFields() -> [Int] {
    (0..<Self.fieldsCount).filter { _ in chance.percent(40) }
  }

  private mutating func limit() -> Int? { chance.percent(60) ? number(1...4) : nil }
  private mutating func device() -> Int { number(0...Self.devicesCount - 1) }
  private mutating func customZone() -> Int { chance.percent(65) ? 1 : 2 }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &chance)
  }
}
