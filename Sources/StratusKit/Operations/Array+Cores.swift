import Dispatch
import Foundation
import Synchronization

extension Array where Element: Sendable {
  /// Does the same with every element, where there are many by as many threads as there are cores;
  /// the results are in the order of the elements.
  ///
  /// It blocks: `body` must only compute.
  func mappedOnAllCores<Value: Sendable>(_ body: @Sendable (Element) -> Value) -> [Value] {
    let coresCount = ProcessInfo.processInfo.activeProcessorCount
    let parts = Swift.min(coresCount, count / Self.countOfPartMin)
    if parts < 2 { return map(body) }
    let results = Mutex<[[Value]]>(Array<[Value]>(repeating: [], count: parts))
    DispatchQueue.concurrentPerform(iterations: parts) { part in
      let values = self[(count * part / parts)..<(count * (part + 1) / parts)].map(body)
      results.withLock { $0[part] = values }
    }
    return results.withLock { Array<Value>($0.joined()) }
  }

  /// Fewer are not worth a thread's waking.
  private static var countOfPartMin: Int { 32 }
}
