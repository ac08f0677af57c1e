import Foundation
import ServiceLifecycle

/// Returns memory to the system after a load, so that a quiet server is small again.
///
/// Readers of a store are closed when they were not used for a while. The C library's heap is asked
/// to return its free pages, because otherwise it keeps as many as were ever in use.
struct MemorySweep: ServiceLifecycle.Service {
  private static let pause = Duration.seconds(5)
  /// The process's growth, in pages, after which the heap is asked to return free pages.
  private static let growthPagesMin = 8_192

  let parts: Composition

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var pagesBefore = 0
      while !Task.isCancelled {
        try? await Task.sleep(for: Self.pause)
        let hasReleased = parts.releaseMemory()
        guard hasReleased || Self.ownPages - pagesBefore >= Self.growthPagesMin else { continue }
        Self.trim()
        pagesBefore = Self.ownPages
      }
    }
  }

  /// The number of pages that belong to this process alone; 0 if the system does not report it.
  private static var ownPages: Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return 0
    }
    let numbers = text.split(separator: " ").compactMap { Int($0) }
    return numbers.count < 3 ? 0 : numbers[1] - numbers[2]
  }

  private static func trim() { _ = heapTrim?(0) }

  /// The function `malloc_trim` of glibc; nil: the C library has no such function.
  private static let heapTrim: (@convention(c) (Int) -> Int32)? = {
    guard let program = dlopen(nil, RTLD_NOW), let address = dlsym(program, "malloc_trim") else {
      return nil
    }
    return unsafeBitCast(address, to: (@convention(c) (Int) -> Int32).self)
  }()
}
