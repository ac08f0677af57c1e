import Foundation

/// Formats times for operators.
public enum UTCTime {
  /// - Parameter milliseconds: the time since 1970 UTC.
  /// - Returns: a text such as `2026-11-23T07:40:00Z`.
  public static func text(_ milliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
  }

  /// Reads a time such as `2026-11-23T07:40:00Z` or `2026-11-23T07:40:00.250Z`.
  ///
  /// - Returns: the milliseconds since 1970 UTC, or nil if the text is no such time.
  public static func milliseconds(_ text: String) -> Int64? {
    let styles = [
      Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true),
    ]
    guard let date = styles.lazy.compactMap({ try? $0.parse(text) }).first else { return nil }
    return Int64((date.timeIntervalSince1970 * 1_000).rounded())
  }
}
