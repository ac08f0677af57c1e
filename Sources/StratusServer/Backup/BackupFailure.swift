import Foundation
import StratusDomain

/// The reason why data could not be copied, as one sentence for the operator.
public struct BackupFailure: Error, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }

  init(_ description: String, _ code: Int32) {
    self.description = "\(description): \(String(cString: strerror(code)))"
  }

  init(_ error: ServerError, what: String) {
    let facts = error.facts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    description = "\(what) cannot be copied: " + ([error.reason] + facts).joined(separator: "; ")
  }
}
