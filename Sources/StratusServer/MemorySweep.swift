import Foundation
import ServiceLifecycle

/// Gives memory back to the operating system after a high load, so that an idle server needs little
/// memory again.
///
/// Unused database connections for reading are closed. The heap of the C library is asked to return
/// its free pages, because otherwise it keeps all pages that were ever used.
struct MemorySweep: ServiceLifecycle.Service {
  private static let pause = Duration.seconds(5)
  /// The growth of the process, in pages, after which the heap is asked to return free pages.
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

  /// The number of pages that only this process uses, or 0 if the system does not report it.
  private static var ownPages: Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return 0
    }
    let numbers = text.split(separator: " ").compactMap { Int($0) }
    return numbers.count < 3 ? 0 : numbers[1] - numbers[2]
  }

  private static func trim() { _ = heapTrim?(0) }

  /// The function `malloc_trim` of glibc, or nil if the C library has no such function.
  private static let heapTrim: (@convention(c) (Int) -> Int32)? = {
    guard let program = dlopen(nil, RTLD_NOW), let address = dlsym(program, "malloc_trim") else {
      return nil
    }
    return unsafeBitCast(address, to: (@convention(c) (Int) -> Int32).self)
  }()
}
