import StratusDomain
import StratusWire

/// Makes a failing data set smaller as long as it still fails.
struct Shrinker {
  let plan: WorldPlan
  /// The number of further runs that are allowed. After the last run, the data set stays as it is.
  private var runsLeft = 500

  init(plan: WorldPlan) { self.plan = plan }

  /// Removes steps, edits, events between pages, filters and sorts that the failure does not need.
  ///
  /// - Parameter steps: the steps of the data set. The last one is the failing query.
  /// - Returns: the remaining steps and their failure, or nil if the failure does not repeat.
  mutating func shrink(_ steps: [Step]) async -> (steps: [Step], text: String)? {
    guard var text = await failure(of: steps) else { return nil }
    var steps = steps
    // Most failures do not need the earlier queries.
    let quiet = steps.enumerated().filter { index, step in
      if case .ask = step { index == steps.count - 1 } else { true }
    }.map(\.element)
    if let failure = await failure(of: quiet) { (steps, text) = (quiet, failure) }
    await dropSteps(&steps, &text)
    await simplify(&steps, &text)
    await dropSteps(&steps, &text)
    return (steps, text)
  }

  private mutating func dropSteps(_ steps: inout [Step], _ text: inout String) async {
    var size = max(1, steps.count / 2)
    while true {
      var hasShrunk = false
      var start = 0
      while start < steps.count - 1 {
        var fewer = steps
        fewer.removeSubrange(start..<min(start + size, steps.count - 1))
        if let failure = await failure(of: fewer) {
          (steps, text, hasShrunk) = (fewer, failure, true)
        } else {
          start += size
        }
      }
      if size > 1 { size /= 2 } else if !hasShrunk { return }
    }
  }

  private mutating func simplify(_ steps: inout [Step], _ text: inout String) async {
    var index = steps.count - 1
    while index >= 0 {
      var hasShrunk = false
      for simpler in steps[index].simpler {
        var fewer = steps
        fewer[index] = simpler
        guard let failure = await failure(of: fewer) else { continue }
        (steps, text, hasShrunk) = (fewer, failure, true)
        break
      }
      if !hasShrunk { index -= 1 }
    }
  }

  private mutating func failure(of steps: [Step]) async -> String? {
    guard runsLeft > 0 else { return nil }
    runsLeft -= 1
    var run = DataSetRun()
    do {
      try await run.run(steps, plan: plan)
      return nil
    } catch {
      return error.step == steps.count - 1 ? error.text : nil
    }
  }
}

extension Step {
  /// Variants of the step. Each variant has slightly less content.
  fileprivate var simpler: [Step] {
    switch self {
    case .modify(let database, let user, let zone, let edits):
      let parts: [[Edit]] =
        edits.count > 3
        ? [Array(edits.prefix(edits.count / 2)), Array(edits.dropFirst(edits.count / 2))] : []
      let fewer: [[Edit]] =
        edits.count > 1 ? edits.indices.map { index in edits.without(index) } : []
      var barer: [[Edit]] = []
      for index in edits.indices where edits.count <= 4 {
        for edit in edits[index].simpler {
          var changed = edits
          changed[index] = edit
          barer.append(changed)
        }
      }
      return (parts + fewer + barer).map { .modify(database, user: user, zone: zone, $0) }
    case .ask(let query): return query.simpler.map { .ask($0) }
    case .makeZone, .deleteZone, .wait, .allowExtensions, .mark, .reopen: return []
    }
  }
}

extension Edit {
  /// Variants of the save. Each variant lacks one of the fields.
  fileprivate var simpler: [Edit] {
    guard case .save(let type, let replaces, let fields, let parent) = kind else { return [] }
    return fields.keys.sorted().map { name in
      var fewer = fields
      fewer.removeValue(forKey: name)
      return Edit(
        recordName: recordName,
        kind: .save(recordType: type, replaces: replaces, fields: fewer, parent: parent))
    }
  }
}

extension QueryCase {
  fileprivate var simpler: [QueryCase] {
    var found: [QueryCase] = []
    func add(_ change: (inout QueryCase) -> Void) {
      var simpler = self
      change(&simpler)
      found.append(simpler)
    }
    if !between.isEmpty { add { $0.between = [] } }
    for index in between.indices where !between[index].isEmpty {
      for step in between[index].indices { add { $0.between[index].remove(at: step) } }
      for step in between[index].indices {
        for simpler in between[index][step].simpler { add { $0.between[index][step] = simpler } }
      }
    }
    for index in query.filters.indices {
      add { $0.query.filters.remove(at: index) }
      if case .anyOf(let groups) = query.filters[index] {
        for group in groups.indices {
          add { $0.query.filters[index] = .anyOf(groups.without(group)) }
        }
      }
    }
    for index in query.sorts.indices { add { $0.query.sorts.remove(at: index) } }
    if desiredKeys != nil { add { $0.desiredKeys = nil } }
    if countsToo { add { $0.countsToo = false } }
    if marker != .asGiven { add { $0.marker = .asGiven } }
    if changesLimit { add { $0.changesLimit = false } }
    return found
  }
}

extension Array {
  fileprivate func without(_ index: Int) -> [Element] {
    var fewer = self
    fewer.remove(at: index)
    return fewer
  }
}
