import Foundation

/// Leads every job of Swift's concurrency runtime to the loop.
///
/// The runtime hands each job over through a variable that programs may set; so tasks of every
/// kind, actors and streams included, run where the loop says, without their knowing.
///
/// NB: `Task.yield` and `Task.sleep` go around it. What is simulated pauses by ``Loop/pause()``
/// and waits by a clock it is given.
enum Hooks {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  nonisolated(unsafe) private static var thread = pthread_self()

  /// Sets the variable; to be called once, by the thread that will run the loop.
  ///
  /// - Returns: false if this runtime has no such variable.
  static func install() -> Bool {
    thread = pthread_self()
    let hook: Hook = { job, _ in
      Hooks.check()
      Loop.shared.take(job)
    }
    guard let place = dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else {
      return false
    }
    place.assumingMemoryBound(to: UnsafeRawPointer?.self).pointee =
      unsafeBitCast(hook, to: UnsafeRawPointer.self)
    return true
  }

  /// Runs a job, here and now.
  static func run(_ job: UnownedJob) {
    // The executor of everything that has none of its own is the one whose reference is zero.
    job.runSynchronously(on: unsafeBitCast((0, 0), to: UnownedSerialExecutor.self))
  }

  /// A job from another thread means that something escaped: its order is no longer the seed's.
  private static func check() {
    if pthread_equal(pthread_self(), thread) != 0 { return }
    FileHandle.standardError.write(
      Data("a task left the simulation: some part uses threads, Task.yield or Task.sleep\n".utf8))
    for line in Thread.callStackSymbols.prefix(20) {
      FileHandle.standardError.write(Data((line + "\n").utf8))
    }
    exit(3)
  }
}
