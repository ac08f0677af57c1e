import Synchronization

/// Counts the work that is done for one request, to be charged to its caller afterwards.
public final class WorkMeter: Sendable {
  private let count = Atomic<Int>(0)

  public init() {}

  /// Adds steps, one of which takes about 1 µs.
  func add(steps: Int) { count.wrappingAdd(max(0, steps), ordering: .relaxed) }

  /// The steps added so far.
  public var steps: Int { count.load(ordering: .relaxed) }
}

// NB: all are equal: what a request costs does not make its caller another one.
extension WorkMeter: Hashable {
  public static func == (left: WorkMeter, right: WorkMeter) -> Bool { true }

  public func hash(into hasher: inout Hasher) {}
}
