import Foundation
import StratusTransport

/// An operation on a database.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
  public override init() { super.init() }

  /// The database the operation runs on; nil: the private one of its container.
  ///
  /// Setting it sets the container, too.
  open var database: CKDatabase? {
    didSet { if let database { container = database.container } }
  }

  /// Does the work; called once.
  func perform(in database: DatabaseCalls) async throws(CKError) {}

  override final func perform() async throws(CKError) {
    let resolved = resolved
    let container = database?.container ?? resolved.container ?? CKContainer.default()
    let scope = database?.databaseScope ?? .private
    try await perform(
      in: DatabaseCalls(
        path: container.path, scope: scope.wire,
        options: Connection.Options(resolved, operationID: operationID, group: group)))
  }
}

extension Connection.Options {
  init(
    _ configuration: CKOperation.Configuration.Explicit, operationID: String?,
    group: CKOperationGroup?
  ) {
    let resource = configuration.resourceTimeout
    var headers: [String: String] = [:]
    headers["X-Apple-Operation-ID"] = operationID
    headers["X-Apple-Operation-Group-ID"] = group?.operationGroupID
    let isPatient =
      switch configuration.qualityOfService ?? .default {
      case .utility, .background: true
      default: false
      }
    self.init(
      requestTimeoutSeconds: configuration.timeoutIntervalForRequest ?? 60,
      resourceTimeoutSeconds: resource < 0 ? nil : resource,
      patience: isPatient ? .long : .short,
      headers: headers)
  }
}
