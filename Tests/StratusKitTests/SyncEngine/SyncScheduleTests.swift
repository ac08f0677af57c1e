import StratusTransport
import Testing

@testable import StratusKit

@Suite struct `The schedule of a sync engine` {
  private func schedule(sends: Bool = true, fetches: Bool = true) -> SyncSchedule {
    SyncSchedule(sendsByItself: sends, fetchesByItself: fetches)
  }

  /// A schedule that knows its account and has completed its first fetch.
  private func settled() -> SyncSchedule {
    var schedule = schedule()
    schedule.begin(now: 0)
    _ = schedule.next(now: 0)
    _ = schedule.accountIsKnown(isSignedIn: true, hasPendingChanges: false, now: 0)
    guard case .perform(let job) = schedule.next(now: 0) else { return schedule }
    schedule.end(job, SyncJobEnd(), now: 0, chance: 0)
    return schedule
  }

  /// A short text that describes the next action of the schedule.
  private func step(_ schedule: inout SyncSchedule, now: Double) -> String {
    switch schedule.next(now: now) {
    case .checkAccount: "account"
    case .wait(let until): "wait \(until)"
    case .rest: "rest"
    case .perform(let job):
      switch job.work {
      case .fetch: "fetch \(job.reason)"
      case .send: "send \(job.reason)"
      }
    }
  }

  @Test func `a sync engine reads the account first, then sends, then fetches`() {
    var schedule = schedule()
    schedule.begin(now: 0)
    schedule.noteChanges(now: 0)
    #expect(step(&schedule, now: 0) == "account")
    #expect(step(&schedule, now: 0) == "rest")
    let refused = schedule.accountIsKnown(isSignedIn: true, hasPendingChanges: true, now: 1)
    #expect(refused.isEmpty)
    #expect(step(&schedule, now: 1) == "send scheduled")
    #expect(step(&schedule, now: 1) == "fetch scheduled")
    #expect(step(&schedule, now: 1) == "rest")
  }

  @Test func `a sync schedule starts no work on its own when automatic sync is off`() {
    var schedule = schedule(sends: false, fetches: false)
    schedule.begin(now: 0)
    schedule.noteChanges(now: 0)
    schedule.noteNotification(now: 0)
    #expect(step(&schedule, now: 0) == "rest")
    _ = schedule.ask(.send(.init()), now: 0)
    #expect(step(&schedule, now: 0) == "account")
    _ = schedule.accountIsKnown(isSignedIn: true, hasPendingChanges: true, now: 0)
    #expect(step(&schedule, now: 0) == "send manual")
    #expect(step(&schedule, now: 0) == "rest")
  }

  @Test func `a sync schedule is dormant without an account`() {
    var schedule = schedule()
    schedule.begin(now: 0)
    _ = schedule.next(now: 0)
    _ = schedule.accountIsKnown(isSignedIn: false, hasPendingChanges: true, now: 0)
    schedule.noteChanges(now: 1)
    schedule.noteNotification(now: 1)
    #expect(step(&schedule, now: 1) == "rest")
    schedule.noteAccount(now: 2)
    #expect(step(&schedule, now: 2) == "account")
  }

  @Test
  func `a manual call reads the account again and fails if no user is signed in`() {
    var schedule = schedule()
    _ = schedule.accountIsKnown(isSignedIn: false, hasPendingChanges: false, now: 0)
    let id = schedule.ask(.fetch(.init()), now: 0)
    #expect(step(&schedule, now: 0) == "account")
    #expect(
      schedule.accountIsKnown(isSignedIn: false, hasPendingChanges: false, now: 0) == [id])
    #expect(step(&schedule, now: 0) == "rest")
  }

  @Test func `a sync schedule starts no fetch and no send while the account is uncertain`() {
    var schedule = settled()
    schedule.noteAccount(now: 1)
    schedule.noteChanges(now: 1)
    #expect(step(&schedule, now: 1) == "account")
    #expect(step(&schedule, now: 1) == "rest")
  }

  @Test func `a sync schedule combines a manual call with due automatic work of the same kind`() {
    var schedule = settled()
    schedule.noteChanges(now: 1)
    let first = schedule.ask(.send(.init()), now: 1)
    let second = schedule.ask(.send(.init()), now: 1)
    let third = schedule.ask(.send(.init(scope: .zoneIDs([zoneZ]))), now: 1)
    #expect(first == second)
    #expect(third != first)
    #expect(step(&schedule, now: 1) == "send manual")
    #expect(step(&schedule, now: 1) == "send manual")
    #expect(step(&schedule, now: 1) == "rest")
  }

  @Test func `a sync schedule sends the remaining changes after a manual call with a scope`() {
    var schedule = settled()
    schedule.noteChanges(now: 1)
    _ = schedule.ask(.send(.init(scope: .zoneIDs([zoneZ]))), now: 1)
    #expect(step(&schedule, now: 1) == "send manual")
    #expect(step(&schedule, now: 1) == "send scheduled")
  }

  @Test func `a sync schedule waits longer after each failure, up to a minute`() {
    var schedule = settled()
    schedule.noteChanges(now: 0)
    var now = 0.0
    var waits: [Double] = []
    for _ in 0..<9 {
      guard case .perform(let job) = schedule.next(now: now) else {
        Issue.record("the schedule must have work that is due at \(now)")
        return
      }
      schedule.end(job, SyncJobEnd(failure: CKError(.networkFailure)), now: now, chance: 1)
      guard case .wait(let due) = schedule.next(now: now) else {
        Issue.record("the schedule must wait after \(now)")
        return
      }
      waits.append(due - now)
      now = due
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60])
  }

  @Test func `a sync schedule waits as long as the server asks, whatever else happens`() {
    var schedule = settled()
    schedule.noteChanges(now: 0)
    guard case .perform(let job) = schedule.next(now: 0) else {
      Issue.record("the schedule must have work that is due")
      return
    }
    let error = CKError(.requestRateLimited, userInfo: [CKErrorRetryAfterKey: 90])
    schedule.end(job, SyncJobEnd(failure: error), now: 0, chance: 0)
    schedule.noteChanges(now: 5)
    #expect(step(&schedule, now: 5) == "wait 90.0")
    #expect(step(&schedule, now: 90) == "send scheduled")
  }

  @Test func `a sync schedule has no retry delay after a success`() {
    var schedule = settled()
    schedule.noteNotification(now: 0)
    for end in [SyncJobEnd(failure: CKError(.zoneBusy)), SyncJobEnd()] {
      guard case .perform(let job) = schedule.next(now: 100) else {
        Issue.record("the schedule must have work that is due")
        return
      }
      schedule.end(job, end, now: 0, chance: 0)
    }
    schedule.noteNotification(now: 200)
    #expect(step(&schedule, now: 200) == "fetch scheduled")
  }

  @Test(arguments: [
    CKError.Code.permissionFailure, .badContainer, .badDatabase, .operationCancelled,
  ])
  func `a sync schedule does not retry a send after a permanent error`(code: CKError.Code) {
    var schedule = settled()
    schedule.noteChanges(now: 0)
    guard case .perform(let job) = schedule.next(now: 0) else {
      Issue.record("the schedule must have work that is due")
      return
    }
    schedule.end(job, SyncJobEnd(failure: CKError(code)), now: 0, chance: 0)
    #expect(step(&schedule, now: 0) == "rest")
  }

  @Test func `a sync schedule reads the account again after a notAuthenticated error`() {
    var schedule = settled()
    schedule.noteChanges(now: 0)
    guard case .perform(let job) = schedule.next(now: 0) else {
      Issue.record("the schedule must have work that is due")
      return
    }
    schedule.end(job, SyncJobEnd(failure: CKError(.notAuthenticated)), now: 0, chance: 0)
    #expect(step(&schedule, now: 0) == "account")
    _ = schedule.accountIsKnown(isSignedIn: true, hasPendingChanges: true, now: 0)
    #expect(step(&schedule, now: 0) == "fetch scheduled")
    #expect(step(&schedule, now: 0) == "wait 0.5")
  }

  @Test
  func `a send without progress is repeated immediately at first, then at growing intervals`() {
    var schedule = settled()
    schedule.noteChanges(now: 0)
    var now = 0.0
    var waits: [Double] = []
    for _ in 0..<9 {
      guard case .perform(let job) = schedule.next(now: now) else {
        Issue.record("the schedule must have work that is due at \(now)")
        return
      }
      schedule.noteChanges(now: now)
      schedule.end(job, SyncJobEnd(isFruitless: true), now: now, chance: 1)
      var peeked = schedule
      guard case .wait(let due) = peeked.next(now: now) else {
        waits.append(0)
        continue
      }
      waits.append(due - now)
      now = due
    }
    #expect(waits == [0, 1, 2, 4, 8, 16, 32, 60, 60])
  }

  @Test func `a sync schedule reads the account again while the server cannot be reached`() {
    var schedule = schedule()
    schedule.begin(now: 0)
    _ = schedule.next(now: 0)
    let id = schedule.ask(.fetch(.init()), now: 0)
    _ = schedule.next(now: 0)
    #expect(schedule.accountIsUnknown(CKError(.networkUnavailable), now: 0, chance: 1) == [id])
    #expect(step(&schedule, now: 0) == "wait 1.0")
    #expect(step(&schedule, now: 1) == "account")
  }

  @Test(arguments: [
    CKError.Code.internalError, .serverRejectedRequest, .managedAccountRestricted,
  ])
  func `a sync schedule reads the account again after every error that may be temporary`(
    code: CKError.Code
  ) {
    var schedule = schedule()
    schedule.begin(now: 0)
    var now = 0.0
    var waits: [Double] = []
    for _ in 0..<8 {
      #expect(step(&schedule, now: now) == "account")
      _ = schedule.accountIsUnknown(CKError(code), now: now, chance: 1)
      guard case .wait(let due) = schedule.next(now: now) else {
        Issue.record("the schedule must wait after \(now)")
        return
      }
      waits.append(due - now)
      now = due
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
    #expect(step(&schedule, now: now) == "account")
    _ = schedule.accountIsKnown(isSignedIn: true, hasPendingChanges: true, now: now)
    #expect(step(&schedule, now: now) == "fetch scheduled")
    #expect(step(&schedule, now: now) == "send scheduled")
  }

  @Test func `a sync schedule does not read the account again after a badContainer error`() {
    var schedule = schedule()
    schedule.begin(now: 0)
    #expect(step(&schedule, now: 0) == "account")
    _ = schedule.accountIsUnknown(CKError(.badContainer), now: 0, chance: 1)
    #expect(step(&schedule, now: 0) == "rest")
  }

  @Test(arguments: [CKError.Code.internalError, .serverRejectedRequest, .permissionFailure])
  func `a sync schedule retries a fetch after a notification at growing intervals`(
    code: CKError.Code
  ) {
    var schedule = settled()
    schedule.noteNotification(now: 0)
    var now = 0.0
    var waits: [Double] = []
    for _ in 0..<8 {
      guard case .perform(let job) = schedule.next(now: now) else {
        Issue.record("the schedule must have work that is due at \(now)")
        return
      }
      schedule.end(job, SyncJobEnd(failure: CKError(code)), now: now, chance: 1)
      guard case .wait(let due) = schedule.next(now: now) else {
        Issue.record("the schedule must wait after \(now)")
        return
      }
      waits.append(due - now)
      now = due
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
  }

  @Test(arguments: [CKError.Code.badContainer, .badDatabase, .operationCancelled])
  func `a sync schedule does not retry a fetch after a permanent error`(code: CKError.Code) {
    var schedule = settled()
    schedule.noteNotification(now: 0)
    guard case .perform(let job) = schedule.next(now: 0) else {
      Issue.record("the schedule must have work that is due")
      return
    }
    schedule.end(job, SyncJobEnd(failure: CKError(code)), now: 0, chance: 0)
    #expect(step(&schedule, now: 0) == "rest")
  }

  @Test func `automatic work runs later if the manual call that included the work is abandoned`() {
    var schedule = settled()
    for work in [SyncJob.Work.send(.init()), .fetch(.init())] {
      for isWished in [true, false] {
        if isWished, case .send = work { schedule.noteChanges(now: 1) }
        if isWished, case .fetch = work { schedule.noteNotification(now: 1) }
        _ = schedule.ask(work, now: 1)
        guard case .perform(let job) = schedule.next(now: 1) else {
          Issue.record("the schedule must have work that is due")
          return
        }
        #expect(step(&schedule, now: 1) == "rest")
        let failure = CKError(.operationCancelled)
        schedule.end(job, SyncJobEnd(failure: failure, isAbandoned: true), now: 1, chance: 0)
        if isWished, case .perform(let job) = schedule.next(now: 1) {
          #expect(job.reason == .scheduled)
          schedule.end(job, SyncJobEnd(), now: 1, chance: 0)
        } else {
          #expect(!isWished)
        }
        #expect(step(&schedule, now: 1) == "rest")
      }
    }
  }

  @Test func `a sync schedule keeps the server's retry delay when a manual call is cancelled`() {
    var schedule = settled()
    schedule.noteChanges(now: 0)
    guard case .perform(let first) = schedule.next(now: 0) else {
      Issue.record("the schedule must have work that is due")
      return
    }
    let error = CKError(.requestRateLimited, userInfo: [CKErrorRetryAfterKey: 90])
    schedule.end(first, SyncJobEnd(failure: error), now: 0, chance: 0)
    _ = schedule.ask(.send(.init()), now: 5)
    guard case .perform(let second) = schedule.next(now: 5) else {
      Issue.record("the schedule must have work that is due")
      return
    }
    let end = SyncJobEnd(failure: CKError(.operationCancelled), isAbandoned: true)
    schedule.end(second, end, now: 6, chance: 0)
    #expect(step(&schedule, now: 6) == "wait 90.0")
  }

  @Test
  func `a missing encryption key neither causes an account check nor delays other changes`() {
    var schedule = settled()
    schedule.noteChanges(now: 0)
    guard case .perform(let job) = schedule.next(now: 0) else {
      Issue.record("the schedule must have work that is due")
      return
    }
    schedule.end(job, SyncJobEnd(failure: CKError(KeyFailure.missing)), now: 0, chance: 0)
    #expect(step(&schedule, now: 0) == "wait 60.0")
    schedule.noteChanges(now: 5)
    #expect(step(&schedule, now: 5) == "send scheduled")
  }
}
