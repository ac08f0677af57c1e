import StratusDomain
import StratusWire

/// Carries out the steps of a data set and compares every answer with the naive evaluator's result.
struct DataSetRun {
  /// The number of cases of each kind. Small numbers show that the generator tests too little.
  struct Tally: Sendable {
    var cases = 0
    var refused = 0
    var open = 0
    var capped = 0
    var empty = 0
    var pages = 0
    var records = 0
    var edited = 0
    var counted = 0

    static func += (left: inout Tally, right: Tally) {
      left.cases += right.cases
      left.refused += right.refused
      left.open += right.open
      left.capped += right.capped
      left.empty += right.empty
      left.pages += right.pages
      left.records += right.records
      left.edited += right.edited
      left.counted += right.counted
    }
  }

  /// The step at which a run failed, and the reason.
  struct Failure: Error {
    /// The index of the failed step.
    var step: Int
    var text: String
  }

  private(set) var tally = Tally()

  /// - Throws: ``Failure``.
  mutating func run(_ steps: [Step], plan: WorldPlan) async throws(Failure) {
    var index = 0
    do {
      let server = try QueryServer()
      do {
        var world = try await World(plan, number: 0, on: server)
        while index < steps.count {
          if case .ask(let query) = steps[index] {
            var check = CaseCheck(query, world: world)
            try await check.run()
            world = check.world
            tally += check.tally
          } else {
            try await world.apply(steps[index])
          }
          index += 1
        }
      } catch {
        await server.stop()
        throw error
      }
      await server.stop()
    } catch {
      throw Failure(step: index, text: "\(error)")
    }
  }
}
