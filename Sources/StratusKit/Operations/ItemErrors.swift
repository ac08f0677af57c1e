import Foundation
import StratusTransport
import StratusWire

/// The errors of single items, for the blocks that want them all at the end.
struct ItemErrors {
  private var errors: [AnyHashable: any Error] = [:]

  mutating func add(_ error: CKError, for item: AnyHashable) { errors[item] = error }

  /// nil where every item succeeded.
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
  /// What a modern final block is called with.
  var asResult: Result<Void, any Error> {
    switch self {
    case .none: .success(())
    case .some(let error): .failure(error)
    }
  }
}
