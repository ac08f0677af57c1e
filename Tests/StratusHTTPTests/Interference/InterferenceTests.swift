import Foundation
import StratusTesting
import Testing

/// Requests that concern a user's private database, or public records that another user may not
/// read, have no effect that the other user can observe.
///
/// `STRATUS_SEED` chooses the first run, and `STRATUS_INTERFERENCE_RUNS` is the number of runs.
@Suite struct `Non-interference` {
  private static let steps = 80

  /// NB: docs/internals/rights.md says what a user may observe of others on PostgreSQL.
  @Test(.enabled(if: TestEngine.hasFiles, "equal values have another order in PostgreSQL"))
  func `a user receives the same bytes whether or not another user sends private requests`()
    async throws
  {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["STRATUS_SEED"].flatMap(UInt64.init) ?? 1
    let count = environment["STRATUS_INTERFERENCE_RUNS"].flatMap(UInt64.init) ?? 5
    var (compared, bytes) = (0, 0)
    var missing = Self.contents
    for seed in first..<first + count {
      let alone = try await Self.observed(seed, withAnn: false)
      let together = try await Self.observed(seed, withAnn: true)
      #expect(alone.count == together.count)
      for (one, other) in zip(alone, together) {
        compared += 1
        bytes += one.utf8.count
        missing.removeAll { one.contains($0) }
        if one == other { continue }
        Issue.record("seed \(seed): alone\n\(one)\nbeside Ann\n\(other)")
        break
      }
    }
    #expect(missing == [], "no answer contained these texts")
    print("non-interference: \(count) runs, \(compared) answers, \(bytes) bytes")
  }

  /// Each of these texts must occur in the bytes that Bea receives. Otherwise the test compares
  /// less than it should.
  private static let contents = [
    "recordChangeTag", "serverRecord", "\"continuationMarker\"", "serverChangeToken", "syncToken",
    "\"incarnation\"", "readIDs", "event: notification", "apns-collapse-id", "webcourierURL",
    "downloadURL", "receipt", "shortGUID", "ZONE_NOT_FOUND", "userIdentity", "\"deleted\":true",
    "AUTHENTICATION_REQUIRED", "ACCESS_DENIED", "CONFLICT", "badge",
  ]

  private static func observed(_ seed: UInt64, withAnn: Bool) async throws -> [String] {
    let (answers, ear) = try await InterferenceScene.with(seed: seed) { scene in
      var hidden = HiddenRequests(scene, seed: seed)
      var neighbour = Neighbour(scene, seed: seed &+ 2_000_000)
      var observer = try await PersonalChance.$person.withValue("bea") {
        try await Observer(scene, seed: seed &+ 1_000_000)
      }
      for _ in 0..<steps {
        if withAnn {
          hidden = try await PersonalChance.$person.withValue("ann") {
            var hidden = hidden
            try await hidden.run()
            try await scene.doBackgroundWork()
            return hidden
          }
        }
        neighbour = try await PersonalChance.$person.withValue("cleo") {
          var neighbour = neighbour
          try await neighbour.run()
          try await scene.doBackgroundWork()
          return neighbour
        }
        observer = try await PersonalChance.$person.withValue("bea") {
          var observer = observer
          try await observer.run()
          try await scene.doBackgroundWork()
          return observer
        }
        scene.chance.moveClock(bySeconds: 1)
      }
      return (observer.observed, observer.ear)
    }
    return answers + [await ear.heard()]
  }
}
