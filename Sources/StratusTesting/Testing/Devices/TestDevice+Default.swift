public import StratusKit

/// `CKContainer.default()`, for apps that use only the default container.
extension TestDevice {
  /// Runs a body in which `CKContainer.default()` is this device's container.
  ///
  /// This applies to the body, to the functions that it calls, and to operations created there. It
  /// also applies to tasks started with `Task { }`, task groups and `async let`, even after the
  /// body has ended. It does not apply to `Task.detached`, dispatch queues, threads, or the blocks
  /// and completion handlers that the framework calls. Parallel tests do not affect each other.
  ///
  /// ```swift
  /// try await phone.withDefaultContainer("iCloud.com.example.Notes") {
  ///   let app = NotesApp()
  ///   try await app.write("Milk")
  /// }
  /// ```
  public func withDefaultContainer<Value>(
    _ identifier: String, environment: CKContainer.Settings.Environment = .development,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
  ) async rethrows -> Value {
    try await CKContainer.$substitute.withValue(
      container(identifier, environment: environment), operation: body)
  }

  /// The same for a body that is not `async`.
  public func withDefaultContainer<Value>(
    _ identifier: String, environment: CKContainer.Settings.Environment = .development,
    _ body: () throws -> Value
  ) rethrows -> Value {
    try CKContainer.$substitute.withValue(
      container(identifier, environment: environment), operation: body)
  }
}
