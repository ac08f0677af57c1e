import Foundation
import StratusDomain

/// Threads of low priority for the portions of uploads and downloads. The checksums of uploads take
/// most of their time. If the processors are busy, the threads that answer requests run first.
///
/// NB: this type is unchecked, because `condition` guards the queue.
final class DiskThreads: @unchecked Sendable {
  typealias Job = @Sendable () -> Void

  /// The threads of this process. They also wait for flushes, so there are more than processors.
  static let shared = DiskThreads(count: 8)

  private let condition = NSCondition()
  private var waiting: [Job] = []

  init(count: Int) {
    for number in 0..<count {
      let thread = Thread { [self] in
        Thread.current.name = "stratus-disk-\(number)"
        Thread.lowerPriority()
        while true { take()() }
      }
      thread.stackSize = 1 << 20
      thread.start()
    }
  }

  func run(_ job: @escaping Job) {
    condition.lock()
    defer { condition.unlock() }
    waiting.append(job)
    condition.signal()
  }

  private func take() -> Job {
    condition.lock()
    defer { condition.unlock() }
    while waiting.isEmpty { condition.wait() }
    return waiting.removeFirst()
  }
}
