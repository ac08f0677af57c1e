/// Makes a failing sequence shorter as long as it still fails.
struct Shrinker {
  let arena: Arena
  /// The number of further runs that are allowed. After the last run, the sequence stays as it is.
  private var runsLeft = 400

  init(arena: Arena) { self.arena = arena }

  /// Removes steps and items that the failure does not need.
  ///
  /// - Returns: the remaining steps, and their failure.
  mutating func shrink(_ steps: [Step], failing text: String) async -> ([Step], String) {
    var (steps, text) = (steps, text)
    var size = max(1, steps.count / 2)
    while true {
      var hasShrunk = false
      var start = 0
      while start < steps.count {
        var fewer = steps
        fewer.removeSubrange(start..<min(start + size, steps.count))
        if let failure = await failure(of: fewer) {
          (steps, text, hasShrunk) = (fewer, failure, true)
        } else {
          start += size
        }
      }
      if size > 1 { size /= 2 } else if !hasShrunk { break }
    }
    for index in steps.indices {
      for simpler in steps[index].simpler {
        var fewer = steps
        fewer[index] = simpler
        guard let failure = await failure(of: fewer) else { continue }
        (steps, text) = (fewer, failure)
      }
    }
    return (steps, text)
  }

  private mutating func failure(of steps: [Step]) async -> String? {
    guard runsLeft > 0 else { return nil }
    runsLeft -= 1
    do {
      try await ModelRun.run(steps, in: arena)
      return nil
    } catch {
      return "\(error)"
    }
  }
}

extension Step {
  /// The variants of this step that have one item fewer.
  fileprivate var simpler: [Step] {
    guard case .modify(let device, let modification) = self,
      modification.edits.count + modification.deletions.count > 1
    else { return [] }
    let fewerEdits = modification.edits.indices.map { index in
      var fewer = modification
      fewer.edits.remove(at: index)
      return fewer
    }
    let fewerDeletions = modification.deletions.indices.map { index in
      var fewer = modification
      fewer.deletions.remove(at: index)
      return fewer
    }
    return (fewerEdits + fewerDeletions).map { .modify(device: device, $0) }
  }
}
