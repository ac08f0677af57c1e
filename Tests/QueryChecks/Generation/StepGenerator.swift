import StratusDomain
import StratusTesting
import StratusWire

/// Generates the steps of a data set. They create, change and delete records, with queries between
/// them.
struct StepGenerator {
  /// The number of queries in a data set. It is large, because the creation of the data takes
  /// longer than a query.
  static let queriesCount = 200

  private var world: WorldGenerator
  private var queries: QueryGenerator
  let drawn: WorldGenerator.Drawn
  private let zones: [String]
  private let recordsCount: Int
  private let names: [String]

  init(seed: UInt64) {
    var chance = SeededChance(seed: seed)
    world = WorldGenerator(chance: chance.split())
    drawn = world.draw()
    zones = Array(["Z1", "z1", "Zone two", "\u{e9}"].prefix(Int.random(in: 0...4, using: &chance)))
    recordsCount = [0, 1, 3, 12, 40, 40, 90, 150, 300][Int.random(in: 0...8, using: &chance)]
    let odd = ["\u{e9}", "e\u{301}", " ", "\u{1F600}", "0", "00", "A", "a", "\u{FFFF}"]
    let plain = (0..<max(4, recordsCount * 2 / 3)).map { "\($0)" }
    names = odd + plain
    queries = QueryGenerator(
      chance: chance.split(), drawn: drawn, zones: zones, names: names)
  }

  /// The steps of a whole data set.
  mutating func steps() -> [Step] {
    var steps = beginning()
    var left = recordsCount
    // A query creates the index that it needs. In some data sets, queries create indexes before all
    // records exist.
    let asksFirst = world.chance.percent(40)
    while left > 0 {
      let size = min(left, world.number(1...100))
      steps.append(modification(of: size))
      left -= size
      if asksFirst, world.chance.percent(50) { steps.append(ask()) }
    }
    var asked = steps.count(where: { if case .ask = $0 { true } else { false } })
    while asked < Self.queriesCount {
      if world.chance.percent(12) { steps += [happening()] }
      steps.append(ask())
      asked += 1
    }
    return steps.enumerated().map { index, step in
      guard case .ask(var query) = step else { return step }
      query.number = index
      return .ask(query)
    }
  }

  private mutating func beginning() -> [Step] {
    var steps: [Step] = []
    if world.chance.percent(65) { steps.append(.allowExtensions(true)) }
    for database in [DatabaseChoice.first, .second] {
      for zone in zones where database == .first || world.chance.percent(50) {
        steps.append(.makeZone(database, zone))
      }
    }
    for database in DatabaseChoice.allCases where world.chance.percent(60) {
      let roots = (0..<Model.rootsCount).map { number in
        Edit(
          recordName: Model.rootName(number),
          kind: .save(recordType: World.rootType, replaces: true, fields: [:], parent: nil))
      }
      steps.append(.modify(database, user: 0, zone: Model.defaultZone, roots))
    }
    return steps
  }

  /// A step that is not a query.
  private mutating func happening() -> Step {
    switch world.number(0...99) {
    case 0..<70: modification(of: world.number(1...6))
    case 70..<80: .wait(Int64(world.number(1...3)))
    case 80..<84: zones.isEmpty ? .wait(1) : .deleteZone(privateDatabase(), world.pick(zones))
    case 84..<92: zones.isEmpty ? .wait(1) : .makeZone(privateDatabase(), world.pick(zones))
    case 92..<95: .allowExtensions(world.chance.percent(60))
    case 95..<99: marking()
    default: .reopen
    }
  }

  private mutating func marking() -> Step {
    let type = world.pick(drawn.types)
    if world.chance.percent(40) {
      let field = world.pick(SystemField.allCases)
      return .mark(recordType: type.name, .system(field), .all(for: field.type))
    }
    let field = world.pick(type.fields)
    let all = FieldIndexes.all(for: field.type)
    return .mark(recordType: type.name, .field(field.name), all)
  }

  private mutating func ask() -> Step {
    var query = queries.draw()
    if world.chance.percent(30) {
      for _ in 0..<world.number(1...4) {
        query.between.append((0..<world.number(1...2)).map { _ in interruption(of: query) })
      }
      // With small pages, there can be steps between the pages.
      if world.chance.percent(80) { query.resultsLimit = world.number(1...9) }
    }
    return .ask(query)
  }

  /// A step between two pages. Most of these steps change the queried database.
  private mutating func interruption(of query: QueryCase) -> Step {
    switch world.number(0...99) {
    case 0..<78:
      modification(
        of: world.number(1...5),
        in: world.chance.percent(90) ? query.database : nil,
        zone: world.chance.percent(80) ? query.zone : nil)
    case 78..<84: .wait(1)
    case 84..<88: zones.isEmpty ? .wait(1) : .deleteZone(privateDatabase(), world.pick(zones))
    case 88..<96: zones.isEmpty ? .wait(1) : .makeZone(privateDatabase(), world.pick(zones))
    default: .reopen
    }
  }

  private mutating func modification(
    of size: Int, in database: DatabaseChoice? = nil, zone: String? = nil
  ) -> Step {
    let database = database ?? world.pick([.first, .first, .first, .second, .publicDatabase])
    let zone =
      database == .publicDatabase || zones.isEmpty
      ? Model.defaultZone : zone ?? world.pick(zones + [Model.defaultZone])
    var edits: [Edit] = []
    var taken: Set<ExactName> = []
    for _ in 0..<size {
      let type = world.pick(drawn.types)
      let name = type.prefix + world.pick(names)
      guard taken.insert(ExactName(name)).inserted else { continue }
      edits.append(edit(name, type))
    }
    return .modify(database, user: world.number(0...2), zone: zone, edits)
  }

  private mutating func edit(_ name: String, _ type: TypePlan) -> Edit {
    if world.chance.percent(12) { return Edit(recordName: name, kind: .delete) }
    var fields: [String: FieldValue?] = [:]
    for field in type.fields where !field.values.isEmpty {
      if world.chance.percent(22) { continue }
      fields[field.name] =
        world.chance.percent(6) ? .some(nil) : .some(world.pick(field.values))
    }
    let parent = world.chance.percent(20) ? world.number(0...Model.rootsCount - 1) : nil
    return Edit(
      recordName: name,
      kind: .save(
        recordType: type.name, replaces: world.chance.percent(40), fields: fields, parent: parent))
  }

  private mutating func privateDatabase() -> DatabaseChoice {
    world.chance.percent(80) ? .first : .second
  }
}
