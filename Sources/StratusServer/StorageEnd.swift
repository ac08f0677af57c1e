import ServiceLifecycle

/// Ends the server when another process has made its stores unusable for this process. Such a
/// server could answer no request correctly, and a load balancer or a supervisor should notice
/// this.
struct StorageEnd: ServiceLifecycle.Service {
  /// The reason, as a sentence for the operator.
  struct Reason: Error, CustomStringConvertible {
    let description: String
  }

  let wait: @Sendable () async -> String?

  /// - Throws: ``Reason``, so that the process ends with an error after the requests in progress
  ///   are answered.
  func run() async throws {
    let reason = await cancelWhenGracefulShutdown { await wait() }
    if let reason { throw Reason(description: reason) }
  }
}
