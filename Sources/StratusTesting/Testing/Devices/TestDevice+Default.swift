public import StratusKit

/// `CKContainer.default()`, for apps that use only the default container.
extension TestDevice {
  /// Runs a body in which `CKContainer.default()` is this device's container.
  ///
  /// The device's container applies to the body, to the functions that the body calls, and to
  /// operations created there. It also applies to tasks started with `Task { }`, task groups and
  /// `async let`, even after the body has ended. It does not apply to `Task.detached`, dispatch
  /// queues, threads, or the blocks and completion handlers that the framework calls. Parallel
  /// tests do not affect each other.
  ///
  /// ```swift
  /// try await phone.withDefaultContainer("iCloud.com.example.Notes") {
  ///   let app = NotesApp()
  ///   try await app.write("Milk")
  /// }
  /// ```
  public func withDefaultContainer<Value>(
    _ identifier: String, environment: CKContainer.Settings.Environment? = nil,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
  ) async rethrows -> Value {
    try await CKContainer.$substitute.withValue(
      container(identifier, environment: environment), operation: body)
  }

  /// Runs a body that is not `async`, in which `CKContainer.default()` is this device's container.
  public func withDefaultContainer<Value>(
    _ identifier: String, environment: CKContainer.Settings.Environment? = nil,
    _ body: () throws -> Value
  ) rethrows -> Value {
    try CKContainer.$substitute.withValue(
      container(identifier, environment: environment), operation: body)
  }
}
