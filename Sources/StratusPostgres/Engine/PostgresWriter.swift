#if Postgres
  import Foundation
  import StratusDomain
  import StratusSQL

  /// Runs write bodies on one connection, each group of bodies in one transaction.
  final class PostgresWriter: PostgresWorking {
    private let connector: PostgresConnector
    private let commits: PostgresCommits
    /// The number of the thread. It makes the pauses of conflicting threads differ.
    private let number: Int

    init(connector: PostgresConnector, commits: PostgresCommits, number: Int) {
      self.connector = connector
      self.commits = commits
      self.number = number
    }

    func close() { connector.close() }

    /// Runs bodies of one lane together, in one transaction. After a conflict or the loss of the
    /// connection, the group is repeated.
    ///
    /// All bodies fail if PostgreSQL is busy, full or not reachable, or if the outcome of the
    /// commit is unknown. Each body runs again in a transaction of its own if one of them fails
    /// after it has written, if the conflicts do not end, or if PostgreSQL reports another error.
    func run(_ jobs: [any PostgresJob]) {
      switch attempt(jobs) {
      case .finished(let failures):
        for (job, failure) in zip(jobs, failures) { job.finish(failure: failure) }
      case .refused(let failure):
        for job in jobs { job.finish(failure: failure) }
      case .separate:
        for job in jobs {
          switch attempt([job]) {
          case .finished(let failures): job.finish(failure: failures.first ?? nil)
          case .refused(let failure): job.finish(failure: failure)
          case .separate: job.finish(failure: .fault("a single body cannot be separated"))
          }
        }
      }
    }

    private enum Result {
      /// The error of each body, or nil for a body whose writes are on disk.
      case finished([ServerError?])
      /// No body has written anything, or the outcome is unknown.
      case refused(ServerError)
      /// Each body must run in a transaction of its own. No body has written anything yet.
      case separate
    }

    private func attempt(_ jobs: [any PostgresJob]) -> Result {
      var last = PostgresFailure.busy()
      var losses = 0
      var duplicates = 0
      var changes = 0
      for attempt in 0..<PostgresLimits.attemptsMax {
        pause(before: attempt)
        let failure: PostgresFailure
        switch transact(jobs, hasConflicted: attempt >= PostgresLimits.attemptsWithoutStoreLock) {
        case .finished(let failures): return .finished(failures)
        case .separate: return .separate
        case .unknown(let error): return .refused(error)
        case .failed(let found): failure = found
        }
        last = failure.error
        switch failure.kind {
        case .conflict: continue
        case .lost:
          losses += 1
          if losses >= PostgresLimits.connectionsPerBodyMax { return .refused(last) }
        case .duplicate where duplicates == 0: duplicates += 1
        case .changed where changes == 0: changes += 1
        case .busy: return .refused(last)
        case .duplicate, .changed, .other: return jobs.count > 1 ? .separate : .refused(last)
        }
      }
      // If bodies fail as a group, each of them may still succeed alone.
      return jobs.count > 1 ? .separate : .refused(last)
    }

    /// Waits before the third attempt and before each later attempt, longer each time. The number
    /// of the thread makes two conflicting threads wait for different times.
    private func pause(before attempt: Int) {
      guard attempt > 1 else { return }
      let milliseconds = Double(attempt) * (1 + Double(number % 8) / 4)
      Thread.sleep(forTimeInterval: milliseconds / 1_000)
    }

    private enum Attempt {
      case finished([ServerError?])
      case failed(PostgresFailure)
      case unknown(ServerError)
      case separate
    }

    /// Runs the bodies in one transaction.
    ///
    /// - Parameter hasConflicted: whether the bodies have already conflicted several times. They
    ///   then take a lock of the store, so that they do not conflict with other such bodies.
    private func transact(_ jobs: [any PostgresJob], hasConflicted: Bool) -> Attempt {
      guard let first = jobs.first else { return .finished([]) }
      let connection: PostgresConnection
      do throws(ServerError) {
        connection = try connector.open()
        var locks = first.locks
        if hasConflicted { locks.append(PostgresLockNumber.of(["conflicts", first.schema])) }
        try connection.beginWrite(in: first.schema, locks: locks.sorted())
      } catch {
        return .failed(PostgresFailure(.lost, error))
      }
      first.begin(on: connection)
      var failures: [ServerError?] = []
      for job in jobs {
        let before = connection.writes
        let thrown = job.attempt(on: connection)
        if let failure = connection.failure {
          undo(first, on: connection)
          return .failed(failure)
        }
        failures.append(thrown)
        guard thrown != nil else { continue }
        if connection.writes == before {
          job.forget(on: connection)
        } else {
          undo(first, on: connection)
          return jobs.count > 1 ? .separate : .finished(failures)
        }
      }
      return commit(first, failures, on: connection)
    }

    private func commit(
      _ first: any PostgresJob, _ failures: [ServerError?], on connection: PostgresConnection
    ) -> Attempt {
      switch connection.commit(numbering: commits.statement) {
      case .committed: return .finished(failures)
      case .failed(let failure):
        first.forget(on: connection)
        return .failed(failure)
      case .unreplicated:
        first.forget(on: connection)
        return .unknown(PostgresFailure.unknownOutcome(facts: ["commit": "not replicated"]))
      case .unknown(let failure):
        let (writer, commit) = (connection.writer, connection.commits)
        connector.close()
        switch commits.hasCommitted(commit, of: writer, on: connector) {
        case true?: return .finished(failures)
        case false?: return .failed(failure)
        case nil: return .unknown(PostgresFailure.unknownOutcome(facts: failure.error.facts))
        }
      }
    }

    private func undo(_ job: any PostgresJob, on connection: PostgresConnection) {
      connection.rollback()
      job.forget(on: connection)
    }
  }
#endif
