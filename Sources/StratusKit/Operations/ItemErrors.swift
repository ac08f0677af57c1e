import Foundation
import StratusTransport
import StratusWire

/// Collects the errors of single items for a final block, which reports all of them.
struct ItemErrors {
  private var errors: [AnyHashable: any Error] = [:]

  mutating func add(_ error: CKError, for item: AnyHashable) { errors[item] = error }

  /// An error that contains the error of each failed item; nil if every item succeeded.
  var partialFailure: CKError? {
    if errors.isEmpty { return nil }
    let reason = errors.values.lazy.compactMap { $0 as? CKError }.first?.localizedDescription
    let count = errors.count == 1 ? "One item" : "\(errors.count) items"
    return CKError(
      .partialFailure,
      userInfo: [
        CKPartialErrorsByItemIDKey: errors,
        NSLocalizedDescriptionKey: "\(count) failed. The first reason: \(reason ?? "unknown")",
      ])
  }
}

extension CKError? {
  /// The result that a final block receives if it takes a `Result`.
  var asResult: Result<Void, any Error> {
    switch self {
    case .none: .success(())
    case .some(let error): .failure(error)
    }
  }
}
