extension TestServer {
  /// Runs the app, its devices and the clock until a condition holds.
  ///
  /// When all activity has stopped, the clock moves to the earliest deadline of a sleeper. The test
  /// therefore does not need to know how long an operation takes or how often it is retried:
  ///
  /// ```swift
  /// phone.isOnline = true
  /// try await server.wait { await laptopNotes.titles == ["Milk"] }
  /// ```
  ///
  /// - Parameters:
  ///   - limit: the maximum time on the server's clock. The default is ten minutes.
  ///   - isolation: the caller's actor, on which the condition is evaluated.
  ///   - condition: the condition, which is evaluated repeatedly.
  /// - Throws: ``TestTimeout`` if the condition does not hold in time, or an error of `condition`.
  public func wait(
    upTo limit: Duration = .seconds(600), isolation: isolated (any Actor)? = #isolation,
    until condition: () async throws -> Bool
  ) async throws {
    let end = clock.now.advanced(by: limit)
    var (quietRounds, rounds) = (0, 0)
    while try await !condition() {
      rounds += 1
      // NB: if an operation fails and is retried without end, the activity never stops.
      if clock.now > end || rounds > Self.roundsMax { throw TestTimeout(limit: limit) }
      let before = core.activity
      await Self.breathe()
      if core.activity != before || core.isBusy {
        quietRounds = 0
        continue
      }
      quietRounds += 1
      if quietRounds < Self.quietRoundsBeforeJump { continue }
      if let next = clock.nextDeadline, next <= end {
        clock.move(to: next.offset)
        quietRounds = 0
      } else if quietRounds >= Self.quietRoundsMax {
        guard let watch = clock.nextWatch, watch <= end else { throw TestTimeout(limit: limit) }
        clock.move(to: watch.offset)
        quietRounds = 0
      }
    }
  }

  /// The number of rounds without activity after which the clock moves to the next deadline. NB:
  /// one quiet round does not prove that the app is idle. An app's tasks are visible only through
  /// their requests, and another process can delay the tasks.
  private static let quietRoundsBeforeJump = 5
  private static let quietRoundsMax = 2_000
  /// The maximum number of rounds, which take at least half a minute. No successful test takes this
  /// long.
  private static let roundsMax = 30_000

  /// Lets other tasks run. NB: this method sleeps for a millisecond of real time, so that a waiting
  /// test leaves the processor to the tasks for which it waits.
  private static func breathe() async {
    await TestClock.letOthersRun()
    try? await Task.sleep(for: .milliseconds(1))
  }
}

/// The error that ``TestServer/wait(upTo:isolation:until:)`` throws if the condition does not hold
/// in time.
public struct TestTimeout: Error, Sendable, CustomStringConvertible {
  let limit: Duration

  public var description: String {
    "the condition did not hold within \(limit) on the server's clock"
  }
}
