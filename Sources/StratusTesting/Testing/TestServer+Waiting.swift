extension TestServer {
  /// Lets the app, its devices and the clock go on until something holds.
  ///
  /// Whenever nothing more happens by itself, the clock moves to the next moment that anybody waits
  /// for. A test so needs to know neither how long something takes nor how often it is repeated:
  ///
  /// ```swift
  /// phone.isOnline = true
  /// try await server.wait { await laptopNotes.titles == ["Milk"] }
  /// ```
  ///
  /// - Parameters:
  ///   - limit: on the server's clock; ten minutes by default.
  ///   - condition: asked again and again.
  /// - Throws: ``TestTimeout`` if it does not come to hold; what `condition` throws.
  public func wait(
    upTo limit: Duration = .seconds(600), isolation: isolated (any Actor)? = #isolation,
    until condition: () async throws -> Bool
  ) async throws {
    let end = clock.now.advanced(by: limit)
    var (quietRounds, rounds) = (0, 0)
    while try await !condition() {
      rounds += 1
      // NB: something that is tried again and again without success is never quiet.
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

  /// Rounds without a request and without a wait after which nothing more happens by itself. NB: an
  /// app's tasks are seen only by what they ask the server, and another process may hold them up.
  private static let quietRoundsBeforeJump = 5
  private static let quietRoundsMax = 2_000
  /// Half a minute at least, which no test takes in which something comes of it.
  private static let roundsMax = 30_000

  /// Gives everything else a turn. NB: a millisecond of real time, so that a test that waits leaves
  /// the processor to those it waits for.
  private static func breathe() async {
    await TestClock.letOthersRun()
    try? await Task.sleep(for: .milliseconds(1))
  }
}

/// What ``TestServer/wait(upTo:isolation:until:)`` waited for did not come.
public struct TestTimeout: Error, Sendable, CustomStringConvertible {
  let limit: Duration

  public var description: String {
    "the condition did not come to hold within \(limit) of the server's clock"
  }
}
