/// The caller for whose request a transaction writes. A store with one writer uses it to decide
/// which of several waiting writes comes first.
///
/// Writes without an origin are the server's own work, such as a step of a cascade.
public struct WriteOrigin: Sendable, Hashable {
  /// A name that no other caller has.
  public let caller: String
  /// Whether the request is expensive (see ``ExpensiveRequests``).
  public let isExpensive: Bool

  /// The origin of the writes of the current task.
  @TaskLocal public static var current: WriteOrigin?

  public init(caller: String, isExpensive: Bool) {
    self.caller = caller
    self.isExpensive = isExpensive
  }

  public init(_ subject: CallerPace.Subject, isExpensive: Bool) {
    self.init(caller: subject.name, isExpensive: isExpensive)
  }

  /// Runs a function whose writes have this origin.
  ///
  /// - Throws: the error of the function.
  public func perform<Value: Sendable>(
    _ body: () async throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await Self.perform(as: self, body)
  }

  /// Runs a function whose writes are the server's own work, although a request waits for them.
  /// Each of them must be short.
  ///
  /// - Throws: the error of the function.
  static func performOwnWork<Value: Sendable>(
    _ body: () async throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await perform(as: nil, body)
  }

  private static func perform<Value: Sendable>(
    as origin: WriteOrigin?, _ body: () async throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    do {
      return try await $current.withValue(origin) { try await body() }
    } catch let error as ServerError {
      throw error
    } catch {
      throw .fault("a request failed with an unknown error", facts: ["error": "\(error)"])
    }
  }
}
