import Dispatch
import Foundation

extension Array where Element: Sendable {
  /// Does the same with every element, where there are many by as many threads as there are cores;
  /// the results are in the order of the elements.
  ///
  /// It blocks: `body` must only compute.
  @inlinable
  package func mappedOnAllCores<Value: Sendable>(
    _ body: @Sendable (Element) -> Value
  ) -> [Value] {
    let parts = Cores.parts(of: count)
    if parts.count < 2 { return map(body) }
    return Array<Value>(unsafeUninitializedCapacity: count) { results, resultsCount in
      // NB: each part writes places of its own, and all have been written when this goes on.
      nonisolated(unsafe) let results = results
      Cores.perform(parts.count) { part in
        for place in parts[part] {
          results.initializeElement(at: place, to: body(self[place]))
        }
      }
      resultsCount = count
    }
  }
}

/// The cores of this machine.
@usableFromInline
package enum Cores {
  /// So many places in as many parts as there are cores, but none so small that it is not worth a
  /// thread's waking.
  @usableFromInline
  static func parts(of count: Int) -> [Range<Int>] {
    let most = count / 32
    let parts = most < 2 ? 1 : min(most, ProcessInfo.processInfo.activeProcessorCount)
    return (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
  }

  /// Does all parts at the same time, and returns when they are done.
  @usableFromInline
  static func perform(_ parts: Int, _ body: @Sendable (_ part: Int) -> Void) {
    DispatchQueue.concurrentPerform(iterations: parts, execute: body)
  }
}
