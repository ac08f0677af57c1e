import Dispatch
import Foundation

extension Array where Element: Sendable {
  /// Applies `body` to every element. An array of 64 or more elements is divided among several
  /// threads, at most one for each core. The results have the order of the elements.
  ///
  /// This call blocks its thread until all results are computed. `body` must only compute, and
  /// never wait.
  @inlinable
  package func mappedOnAllCores<Value: Sendable>(
    _ body: @Sendable (Element) -> Value
  ) -> [Value] {
    let parts = Cores.parts(of: count)
    if parts.count < 2 { return map(body) }
    return Array<Value>(unsafeUninitializedCapacity: count) { results, resultsCount in
      // NB: each part writes only to its own indexes. All parts are finished when `perform`
      // returns.
      nonisolated(unsafe) let results = results
      Cores.perform(parts.count) { part in
        for index in parts[part] {
          results.initializeElement(at: index, to: body(self[index]))
        }
      }
      resultsCount = count
    }
  }
}

/// Divides work among the processor cores of this machine.
@usableFromInline
package enum Cores {
  /// Splits `count` elements into at most one part for each core. If there are several parts, each
  /// has at least 32 elements, because a smaller part is not worth a thread.
  @usableFromInline
  static func parts(of count: Int) -> [Range<Int>] {
    let most = count / 32
    let parts = most < 2 ? 1 : min(most, ProcessInfo.processInfo.activeProcessorCount)
    return (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
  }

  /// Calls `body` once for each part, on several threads, and returns when all calls have ended.
  @usableFromInline
  static func perform(_ parts: Int, _ body: @Sendable (_ part: Int) -> Void) {
    DispatchQueue.concurrentPerform(iterations: parts, execute: body)
  }
}
