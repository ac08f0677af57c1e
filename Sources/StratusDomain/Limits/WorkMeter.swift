import Synchronization

/// Counts the work for one request, which is charged to its caller afterwards.
public final class WorkMeter: Sendable {
  private let count = Atomic<Int>(0)

  public init() {}

  /// Adds steps; one takes about 1 µs.
  func add(steps: Int) { count.wrappingAdd(max(0, steps), ordering: .relaxed) }

  /// The steps added so far.
  public var steps: Int { count.load(ordering: .relaxed) }
}

// NB: all meters are equal, since the cost of a request is not part of its caller's identity.
extension WorkMeter: Hashable {
  public static func == (left: WorkMeter, right: WorkMeter) -> Bool { true }

  public func hash(into hasher: inout Hasher) {}
}
