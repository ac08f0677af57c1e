/// Something every implementation of a port must do; run on one that was just made and is empty.
public struct ConformanceCheck<Port: Sendable>: Sendable, CustomStringConvertible {
  /// A sentence that says what holds.
  public let description: String
  private let body: @Sendable (Port) async throws -> Void

  init(_ description: String, _ body: @escaping @Sendable (Port) async throws -> Void) {
    self.description = description
    self.body = body
  }

  /// Makes an implementation and holds it to the check.
  ///
  /// - Throws: ``ConformanceFailure``, or what the implementation throws where it should not.
  public func run(_ make: @Sendable () async throws -> Port) async throws {
    try await body(try await make())
  }
}

/// What an implementation of a port does otherwise than it must.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
  public let description: String
}

/// Fails the check unless both are equal.
func expect<Value: Equatable>(
  _ actual: Value, _ expected: Value, _ what: String = "", file: String = #fileID,
  line: Int = #line
) throws {
  if actual == expected { return }
  throw ConformanceFailure(
    description: "\(file):\(line) \(what): got \(actual), expected \(expected)")
}

/// Fails the check unless there is a value.
func expectSome<Value>(
  _ value: Value?, file: String = #fileID, line: Int = #line
) throws -> Value {
  guard let value else {
    throw ConformanceFailure(description: "\(file):\(line): got nil, expected a value")
  }
  return value
}
