/// A message whose form is invalid.
///
/// The server answers such a message with `BAD_REQUEST`. The client reports it as an internal
/// error.
public struct WireError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One sentence that names the invalid key.
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
