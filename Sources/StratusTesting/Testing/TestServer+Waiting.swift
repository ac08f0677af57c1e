extension TestServer {
  /// Runs the app, its devices and the clock until a condition holds.
  ///
  /// When all activity has stopped, the clock moves to the earliest deadline of a sleeper. The test
  /// therefore need not know how long an operation takes or how often it is retried:
  ///
  /// ```swift
  /// phone.isOnline = true
  /// try await server.wait { await laptopNotes.titles == ["Milk"] }
  /// ```
  ///
  /// - Parameters:
  ///   - limit: the maximum time on the server's clock; ten minutes by default.
  ///   - isolation: the caller's actor, on which the condition is evaluated.
  ///   - condition: evaluated repeatedly.
  /// - Throws: ``TestTimeout`` if the condition does not hold in time; an error of `condition`.
  public func wait(
    upTo limit: Duration = .seconds(600), isolation: isolated (any Actor)? = #isolation,
    until condition: () async throws -> Bool
  ) async throws {
    let end = clock.now.advanced(by: limit)
    var (quietRounds, rounds) = (0, 0)
    while try await !condition() {
      rounds += 1
      // NB: an operation that fails and retries forever is never quiet.
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

  /// Rounds without a request or a wait after which all activity counts as stopped. NB: an app's
  /// tasks are visible only through their requests, and another process can delay them.
  private static let quietRoundsBeforeJump = 5
  private static let quietRoundsMax = 2_000
  /// At least half a minute of real time. No successful test takes this long.
  private static let roundsMax = 30_000

  /// Lets other tasks run. NB: sleeps for a millisecond of real time, so that a waiting test leaves
  /// the processor to the tasks it waits for.
  private static func breathe() async {
    await TestClock.letOthersRun()
    try? await Task.sleep(for: .milliseconds(1))
  }
}

/// The condition of ``TestServer/wait(upTo:isolation:until:)`` did not hold in time.
public struct TestTimeout: Error, Sendable, CustomStringConvertible {
  let limit: Duration

  public var description: String {
    "the condition did not come to hold within \(limit) of the server's clock"
  }
}
