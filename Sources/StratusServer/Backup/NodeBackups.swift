import Dispatch
import Foundation
import StratusDomain

/// Makes the backups of an installation in PostgreSQL. One node at a time makes a backup, under a
/// lease.
///
/// A backup has a temporary name until it is complete. This node then renews the lease, gives the
/// backup its final name, and stores its time in PostgreSQL. If the lease has ended before one of
/// these steps, another node makes a backup. This node then removes its own, unless it is complete
/// and the latest one.
struct NodeBackups: Sendable {
  /// The result of an attempt to make a backup.
  enum Outcome: Sendable {
    case notDue
    case made(Backup.Summary, folder: URL)
    /// This node has lost or given up its lease, so another node makes the backup.
    case givenUp
    /// The server stops. The incomplete backup is removed now or by the next attempt.
    case ended
    case failed(BackupFailure)
    /// PostgreSQL did not tell whether a backup is due.
    case unknown(ServerError)
  }

  /// The pause between two renewals of the lease. Choice: a third of the lease's lifetime.
  private static let renewalPause = Duration.seconds(3)
  /// The maximum number of renewals for one backup. A node whose disk does not answer must not
  /// block the backups of the others. Choice: a week, because no backup takes so long.
  private static let renewalsMax = 7 * 86_400 / 3

  let schedule: BackupSchedule
  let turns: any BackupTurns
  /// Returns whether this node may begin a backup.
  let mayBegin: @Sendable () -> Bool
  let live: Live

  /// Makes a backup if it is time and no other node makes one.
  func makeIfDue() async -> Outcome {
    guard mayBegin() else { return .notDue }
    do throws(ServerError) {
      let known = try await turns.times()
      guard schedule.isDue(after: known), let lease = try await turns.take() else { return .notDue }
      // NB: another node may have made a backup before this node got the lease.
      let times = try await turns.times()
      guard schedule.isDue(after: times) else { return .notDue }
      return await make(begunAt: times.now, lease: lease)
    } catch {
      return .unknown(error)
    }
  }

  private func make(begunAt: Int64, lease: Int64) async -> Outcome {
    let stop = BackupStop()
    let keeping = Task { await keep(lease, stop) }
    defer {
      keeping.cancel()
      stop.request()
    }
    let prepared = await Self.onThread {
      [schedule] () -> Result<PreparedBackup, BackupFailure> in
      do throws(BackupFailure) {
        return .success(try schedule.prepare(stop: stop))
      } catch {
        return .failure(error)
      }
    }
    // The thread ends the copy before the next store or file.
    guard let prepared else { return .ended }
    do throws(BackupFailure) {
      let backup = try prepared.get()
      try await publish(backup, begunAt: begunAt, lease: lease, stop)
      return .made(backup.summary, folder: backup.target)
    } catch {
      if stop.isRequested { return .givenUp }
      await note(lease: lease)
      return .failed(error)
    }
  }

  /// Gives a backup its final name, and stores its time.
  ///
  /// - Throws: ``BackupFailure``. `stop` is requested if this node has lost the lease.
  private func publish(
    _ backup: PreparedBackup, begunAt: Int64, lease: Int64, _ stop: BackupStop
  ) async throws(BackupFailure) {
    do throws(ServerError) {
      if try await turns.take() != lease { stop.request() }
      try stop.requireNone()
    } catch {
      await Self.onThread { backup.discard() }
      throw BackupFailure(error, what: "the backup", verb: "published")
    }
    try backup.publish()
    do throws(ServerError) {
      // NB: this node may have paused since it renewed the lease.
      if try await !turns.note(begunAt: begunAt, lease: lease) {
        await Self.onThread { [schedule] in schedule.removeUnlessLatest(backup.target) }
        stop.request()
        try stop.requireNone()
      }
    } catch {
      throw BackupFailure(error, what: "the time of \(backup.target.path)", verb: "stored")
    }
    await Self.onThread { [schedule] in schedule.finish(backup.target) }
  }

  /// Stores a failure, so that all nodes wait for an hour. If PostgreSQL cannot be reached, the
  /// next attempt follows earlier.
  private func note(lease: Int64) async {
    do throws(ServerError) {
      guard try await turns.noteFailure(lease: lease) else { return }
      schedule.noteFailure(at: live.ambient.now())
    } catch {}
  }

  /// Renews the lease until the task is cancelled. If another node has the lease, or if the backup
  /// takes too long, requests the end of the backup.
  ///
  /// NB: if PostgreSQL cannot be reached, the copy fails, too.
  private func keep(_ lease: Int64, _ stop: BackupStop) async {
    for _ in 0..<Self.renewalsMax {
      do { try await Task.sleep(for: Self.renewalPause) } catch { return }
      do throws(ServerError) {
        if try await turns.take() == lease { continue }
        return stop.request()
      } catch {
        continue
      }
    }
    stop.request()
  }

  /// Runs a body that blocks its thread for a long time.
  ///
  /// - Returns: nil at once if the task is cancelled. The body then continues.
  @discardableResult
  private static func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async -> Value? {
    let (values, sender) = AsyncStream<Value>.makeStream()
    DispatchQueue.global(qos: .utility).async {
      sender.yield(body())
      sender.finish()
    }
    return await values.first { _ in true }
  }
}
