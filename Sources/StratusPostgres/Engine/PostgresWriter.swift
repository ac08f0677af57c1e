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

    /// Runs the bodies of all lanes together, in one transaction. If this fails, each lane runs in
    /// a transaction of its own, and if this also fails, each body.
    ///
    /// If there are several lanes, or if the bodies are short, the first attempts do not wait: a
    /// lock that is held ends the attempt at once. The lanes that have failed follow after the
    /// other ones. They wait for their locks, and are repeated after each conflict. So no lane
    /// waits for the lock of another lane while its own locks are free. Each attempt is repeated
    /// after the loss of the connection. The first attempt is also repeated after a few conflicts,
    /// because the transactions of single lanes would take more time.
    ///
    /// All bodies fail if PostgreSQL is not reachable, or if the outcome of the commit is unknown.
    /// All bodies of a lane also fail if PostgreSQL is busy or full. Each body runs again in a
    /// transaction of its own if one of them fails after it has written, if the conflicts do not
    /// end, or if PostgreSQL reports another error.
    func run(_ lanes: [[any PostgresJob]], whenWaiting: () -> Void) {
      var left = lanes
      if lanes.count > 1 {
        let together = lanes.flatMap { $0 }
        if finish(together, waits: false, attempts: PostgresLimits.attemptsTogether) { return }
        left.removeAll { finish($0, waits: false) }
      } else if lanes.first?.first?.wish != nil {
        left.removeAll { finish($0, waits: false) }
      }
      if left.isEmpty { return }
      whenWaiting()
      for lane in left {
        if finish(lane) { continue }
        for job in lane {
          if finish([job]) { continue }
          job.finish(failure: .fault("a single body cannot be separated"))
        }
      }
    }

    /// Runs bodies in one transaction, and resumes their callers.
    ///
    /// - Parameters:
    ///   - waits: whether the transaction waits for its locks, and is repeated after each conflict.
    ///   - attempts: the maximum number of attempts of a transaction that does not wait, if it
    ///     conflicts with others. If it is greater than 1, the transaction is also repeated once
    ///     after it has found a lock that is held.
    /// - Returns: false if the bodies must run again in another way. No caller is resumed in this
    ///   case.
    private func finish(
      _ jobs: [any PostgresJob], waits: Bool = true, attempts: Int = 1
    ) -> Bool {
      switch attempt(jobs, waits: waits, attempts: attempts) {
      case .finished(let failures):
        for (job, failure) in zip(jobs, failures) { job.finish(failure: failure) }
      case .refused(let failure):
        for job in jobs { job.finish(failure: failure) }
      case .separate: return false
      }
      return true
    }

    private enum Result {
      /// The error of each body, or nil for a body whose writes are on disk.
      case finished([ServerError?])
      /// No body has written anything, or the outcome is unknown.
      case refused(ServerError)
      /// The bodies must run in several transactions, or must wait. No body has written anything
      /// yet.
      case separate
    }

    private func attempt(_ jobs: [any PostgresJob], waits: Bool, attempts: Int) -> Result {
      var last = PostgresFailure.busy()
      var losses = 0
      var duplicates = 0
      var changes = 0
      var conflicts = 0
      var heldLocks = 0
      for attempt in 0..<PostgresLimits.attemptsMax {
        pause(before: attempt)
        let failure: PostgresFailure
        switch transact(
          jobs, waits: waits,
          hasConflicted: attempt >= PostgresLimits.attemptsWithoutStoreLock)
        {
        case .finished(let failures): return .finished(failures)
        case .separate: return .separate
        case .unknown(let error): return .refused(error)
        case .failed(let found): failure = found
        }
        last = failure.error
        if !waits {
          if failure.isConflict { conflicts += 1 }
          if failure.isHeld { heldLocks += 1 }
          // NB: PostgreSQL answers a commit before it releases the locks. So a lock of another
          // thread may be free a moment later.
          let isRepeated =
            failure.isConflict && conflicts < attempts
            || failure.isHeld && attempts > 1 && heldLocks == 1
          if !isRepeated, !failure.isLoss { return .separate }
        }
        switch failure.kind {
        case .conflict, .held: continue
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
    /// - Parameters:
    ///   - waits: whether the transaction waits for the locks.
    ///   - hasConflicted: whether the bodies have already conflicted several times. They then take
    ///     a lock of the store, so that they do not conflict with other such bodies.
    private func transact(
      _ jobs: [any PostgresJob], waits: Bool, hasConflicted: Bool
    ) -> Attempt {
      guard let first = jobs.first else { return .finished([]) }
      let connection: PostgresConnection
      do throws(ServerError) {
        connection = try connector.open()
        var locks = Set(jobs.flatMap { $0.locks })
        if hasConflicted { locks.insert(PostgresLockNumber.of(["conflicts", first.schema])) }
        try connection.beginWrite(
          in: first.schema, locks: locks.sorted(), waitsForLocks: waits)
      } catch {
        return .failed(PostgresFailure(.lost, error))
      }
      first.begin(on: connection)
      if let failure = readTogether(jobs, first, on: connection) { return .failed(failure) }
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

    /// Reads what several bodies will read first, by one statement.
    private func readTogether(
      _ jobs: [any PostgresJob], _ first: any PostgresJob, on connection: PostgresConnection
    ) -> PostgresFailure? {
      let wishes = jobs.compactMap { $0.wish }
      if wishes.count < 2 { return nil }
      do throws(ServerError) { try first.read(wishes, on: connection) } catch {
        let failure = connection.failure ?? PostgresFailure(.other, error)
        undo(first, on: connection)
        return failure
      }
      return nil
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
