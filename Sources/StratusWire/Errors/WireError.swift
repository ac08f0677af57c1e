/// What was sent does not have the form it must have.
///
/// The server answers it as `BAD_REQUEST`; the client hands it over as an internal error.
public struct WireError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One sentence that names the key at fault.
  public let reason: String

  public init(_ reason: String) { self.reason = reason }

  public var description: String { reason }

  static func missing(_ key: StaticString) -> WireError {
    WireError("missing required field '\(key)'")
  }

  static func wrongType(_ key: StaticString, expected: StaticString) -> WireError {
    WireError("Invalid value for '\(key)', expected \(expected)")
  }
}
