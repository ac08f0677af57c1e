import Foundation

/// Formats times for operators.
public enum UTCTime {
  /// - Parameter milliseconds: the time since 1970 UTC.
  /// - Returns: a text such as `2026-11-23T07:40:00Z`.
  public static func text(_ milliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
  }
}
