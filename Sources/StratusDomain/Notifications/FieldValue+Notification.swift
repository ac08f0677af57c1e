import Foundation
import StratusWire

extension FieldValue {
  /// The value as a notification contains it, or nil if notifications do not support its type.
  ///
  /// Apple documents String, Number, Date, Location and Reference. A date is a number: milliseconds
  /// since 1970 UTC, as in a field. Long strings are cut: see ``NotificationText``.
  var inNotification: PlainValue? {
    switch self {
    case .string(let value): .string(NotificationText.cut(value))
    case .int64(let value): .int64(value)
    case .timestamp(let time): .int64(time.milliseconds)
    case .double(let value): .double(value)
    case .location(let location):
      .location(latitude: location.latitude, longitude: location.longitude)
    case .reference(let reference): .reference(recordName: reference.recordName)
    case .bytes, .asset, .sealed, .list: nil
    }
  }

  /// The value as a localized text contains it, or nil if texts do not support its type.
  ///
  /// Apple documents strings, numbers and dates. Choice: a date is written as ISO 8601 in UTC, to
  /// the second (`2025-03-01T09:30:00Z`), because the server knows neither the language nor the
  /// time zone of the reader.
  var inText: String? {
    switch self {
    case .string(let value): NotificationText.cut(value)
    case .int64(let value): String(value)
    case .double(let value): NotificationText.number(value)
    case .timestamp(let time): NotificationText.date(time.milliseconds)
    case .bytes, .location, .reference, .asset, .sealed, .list: nil
    }
  }
}

/// Converts values into readable text.
enum NotificationText {
  /// The maximum number of characters of a string in a notification.
  ///
  /// Source: Apple's documentation of `desiredKeys`: longer strings may be cut. Choice: they are
  /// cut, so that one long text does not push everything else out of a small payload.
  static let charactersMax = 100
  /// The maximum number of bytes of these characters. A character can have any number of bytes.
  static let bytesMax = 400

  static func cut(_ text: String) -> String {
    if text.utf8.count <= charactersMax { return text }
    var end = text.startIndex
    var characters = 0
    var bytes = 0
    while end < text.endIndex, characters < charactersMax {
      let next = text.index(after: end)
      bytes += text.utf8.distance(from: end, to: next)
      if bytes > bytesMax { break }
      characters += 1
      end = next
    }
    return String(text[..<end])
  }

  /// Returns the number as a text, without the decimal point if the fraction is zero.
  static func number(_ value: Double) -> String {
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// The times from the year 1583 to 9999, in milliseconds since 1970 UTC. These are the Gregorian
  /// dates whose year has four digits.
  private static let datable = -12_212_553_600_000...253_402_300_799_999 as ClosedRange<Int64>

  static func date(_ milliseconds: Int64) -> String {
    guard datable.contains(milliseconds) else { return String(milliseconds) }
    return Date(timeIntervalSince1970: (Double(milliseconds) / 1_000).rounded(.down))
      .ISO8601Format()
  }
}
