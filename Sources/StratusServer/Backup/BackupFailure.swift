import Foundation
import StratusDomain

/// The reason why data could not be copied, verified, restored or compacted, as one sentence for
/// the operator.
public struct BackupFailure: Error, Sendable, CustomStringConvertible {
  public let description: String

  /// The failure of a program that cannot use PostgreSQL.
  static let withoutPostgres = BackupFailure(
    "this program was built without PostgreSQL: build it with 'swift build --traits Postgres'")

  init(_ description: String) { self.description = description }

  init(_ description: String, _ code: Int32) {
    self.description = "\(description): \(String(cString: strerror(code)))"
  }

  /// - Parameter verb: the participle of the action that failed.
  init(_ error: ServerError, what: String, verb: String = "copied") {
    let facts = error.facts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    let advice = error.hint.map { [$0] } ?? []
    description =
      "\(what) cannot be \(verb): " + ([error.reason] + facts + advice).joined(separator: "; ")
  }
}
