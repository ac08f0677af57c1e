import Synchronization

/// Counts the work for one request. The work is charged to the caller of the request afterwards.
public final class WorkMeter: Sendable {
  private let count = Atomic<Int>(0)

  public init() {}

  /// Adds steps of work. One step takes about 1 µs.
  func add(steps: Int) { count.wrappingAdd(max(0, steps), ordering: .relaxed) }

  /// The number of steps added so far.
  public var steps: Int { count.load(ordering: .relaxed) }
}

// NB: all meters compare as equal, because the cost of a request is not part of its caller's
// identity.
extension WorkMeter: Hashable {
  public static func == (left: WorkMeter, right: WorkMeter) -> Bool { true }

  public func hash(into hasher: inout Hasher) {}
}
