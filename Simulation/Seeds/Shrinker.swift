/// Simplifies the plan of a failing seed: removes each part that the failure does not need.
struct Shrinker {
  let seed: UInt64

  /// Finds the parts of a plan that can be left out.
  func reduction() -> Reduction {
    var found = Reduction()
    for mishap in Mishap.allCases {
      var next = found
      next.without.append(mishap)
      if fails(next) { found = next }
    }
    for count in 0...1 {
      var next = found
      next.handsMax = count
      if fails(next) {
        found = next
        break
      }
    }
    for count in 0...4 {
      var next = found
      next.enginesMax = count
      if fails(next) {
        found = next
        break
      }
    }
    for seconds in [1.0, 2, 3, 5, 8, 12, 18, 25] {
      var next = found
      next.secondsMax = seconds
      if fails(next) { return next }
    }
    return found
  }

  private func fails(_ reduction: Reduction) -> Bool {
    SeedRun.outcome(of: seed, reducedBy: reduction).failure != nil
  }
}
