/// A check that every implementation of a port must pass. It runs on a new implementation that has
/// no data.
public struct ConformanceCheck<Port: Sendable>: Sendable, CustomStringConvertible {
  /// A sentence that states the expected behaviour.
  public let description: String
  private let body: @Sendable (Port) async throws -> Void

  init(_ description: String, _ body: @escaping @Sendable (Port) async throws -> Void) {
    self.description = description
    self.body = body
  }

  /// Creates an implementation and runs the check on it.
  ///
  /// - Throws: ``ConformanceFailure``, or an unexpected error of the implementation.
  public func run(_ make: @Sendable () async throws -> Port) async throws {
    try await body(try await make())
  }
}

/// An error that states how an implementation of a port differs from the port's guarantees.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
  public let description: String
}

/// Fails the check unless both values are equal.
func expect<Value: Equatable>(
  _ actual: Value, _ expected: Value, _ what: String = "", file: String = #fileID,
  line: Int = #line
) throws {
  if actual == expected { return }
  throw ConformanceFailure(
    description: "\(file):\(line) \(what): got \(actual), expected \(expected)")
}

/// Fails the check if the value is nil.
func expectSome<Value>(
  _ value: Value?, file: String = #fileID, line: Int = #line
) throws -> Value {
  guard let value else {
    throw ConformanceFailure(description: "\(file):\(line): got nil, expected a value")
  }
  return value
}
