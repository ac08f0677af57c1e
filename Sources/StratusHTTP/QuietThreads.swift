import Foundation
import StratusDomain

/// Threads of low priority for expensive requests. The thread pool of the runtime stays free for
/// the requests of other callers. If the processors are busy, the threads of that pool run first.
///
/// NB: this type is unchecked, because `condition` guards the queue.
final class QuietThreads: TaskExecutor, @unchecked Sendable {
  /// The threads of this process. There is one for each processor, but there are at least two.
  static let shared = QuietThreads(count: max(2, ProcessInfo.processInfo.activeProcessorCount))

  private let condition = NSCondition()
  private var waiting: [UnownedJob] = []
  /// The index of the first element of ``waiting`` that has not been taken.
  private var next = 0

  init(count: Int) {
    for number in 0..<count {
      let thread = Thread { [self] in
        Thread.current.name = "stratus-quiet-\(number)"
        Thread.lowerPriority()
        while true { take().runSynchronously(on: asUnownedTaskExecutor()) }
      }
      thread.stackSize = 4 << 20
      thread.start()
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.lock()
    defer { condition.unlock() }
    waiting.append(job)
    condition.signal()
  }

  private func take() -> UnownedJob {
    condition.lock()
    defer { condition.unlock() }
    while next == waiting.count { condition.wait() }
    let job = waiting[next]
    next += 1
    if next == waiting.count || next >= 1_024 {
      waiting.removeFirst(next)
      next = 0
    }
    return job
  }
}
