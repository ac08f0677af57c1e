import Foundation

/// Redirects every job of Swift's concurrency runtime to ``Loop``.
///
/// The runtime passes each job to a function in a global variable, which a program may set. Tasks
/// of every kind, including those of actors and streams, therefore run in the loop without changes
/// to their code.
///
/// NB: `Task.yield` and `Task.sleep` do not use the variable. Simulated code pauses with
/// ``Loop/pause()`` and waits with the clock that it is given.
enum Hooks {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  nonisolated(unsafe) private static var thread = pthread_self()

  /// Sets the variable. The thread that runs the loop calls this function once.
  ///
  /// - Returns: false if this runtime has no such variable.
  static func install() -> Bool {
    thread = pthread_self()
    let hook: Hook = { job, _ in
      Hooks.check()
      Loop.shared.take(job)
    }
    guard let variable = dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else {
      return false
    }
    variable.assumingMemoryBound(to: UnsafeRawPointer?.self).pointee =
      unsafeBitCast(hook, to: UnsafeRawPointer.self)
    return true
  }

  /// Runs a job on the current thread.
  static func run(_ job: UnownedJob) {
    // Jobs without an executor of their own use the executor whose reference is zero.
    job.runSynchronously(on: unsafeBitCast((0, 0), to: UnownedSerialExecutor.self))
  }

  /// Ends the program if the current thread is not the loop's thread, because the order of the job
  /// would then not depend on the seed alone.
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
