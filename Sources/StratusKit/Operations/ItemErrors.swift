import Foundation
import StratusTransport
import StratusWire

/// Collects the errors of single items, for final blocks that report them all.
struct ItemErrors {
  private var errors: [AnyHashable: any Error] = [:]

  mutating func add(_ error: CKError, for item: AnyHashable) { errors[item] = error }

  /// nil if every item succeeded.
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
  /// The argument of a final block that takes a `Result`.
  var asResult: Result<Void, any Error> {
    switch self {
    case .none: .success(())
    case .some(let error): .failure(error)
    }
  }
}
