public import StratusKit

/// `CKContainer.default()`, for apps that take their container from nowhere else.
extension TestDevice {
  /// Runs a body in which `CKContainer.default()` is this device's container.
  ///
  /// That holds in the body, in what it calls, and in the tasks that it starts by `Task { }`, task
  /// groups and `async let`, also after it has ended; and for operations made there. It does not
  /// hold in `Task.detached`, on dispatch queues and threads, nor in the blocks and completion
  /// handlers that the framework calls. Tests that run side by side do not see each other's.
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

  /// As with an `async` body.
  public func withDefaultContainer<Value>(
    _ identifier: String, environment: CKContainer.Settings.Environment = .development,
    _ body: () throws -> Value
  ) rethrows -> Value {
    try CKContainer.$substitute.withValue(
      container(identifier, environment: environment), operation: body)
  }
}
