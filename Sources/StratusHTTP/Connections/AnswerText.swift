import HTTPTypes
import NIOCore
import Synchronization

/// Writes the heads of answers in the format of HTTP/1.1.
///
/// NB: NIO's encoder is not used, because the head and a short body are put into one buffer, which
/// is sent in one write.
enum AnswerText {
  /// The initial capacity of the buffer for a head, in bytes.
  static let headBytes = 768

  static let goOn = ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")

  /// - Parameters:
  ///   - length: the number of bytes of the body, even if the body is not sent. If it is nil, no
  ///     `Content-Length` is written.
  ///   - closes: whether the connection closes after this answer.
  static func write(
    _ head: HTTPResponse, length: Int?, closes: Bool, date: String, into buffer: inout ByteBuffer
  ) {
    if head.status == .ok {
      buffer.writeStaticString("HTTP/1.1 200 OK\r\n")
    } else {
      buffer.writeString("HTTP/1.1 \(head.status.code) \(head.status.reasonPhrase)\r\n")
    }
    for field in head.headerFields {
      buffer.writeString(field.name.rawName)
      buffer.writeStaticString(": ")
      buffer.writeString(field.value)
      buffer.writeStaticString("\r\n")
    }
    buffer.writeStaticString("Date: ")
    buffer.writeString(date)
    if let length {
      buffer.writeStaticString("\r\nContent-Length: ")
      buffer.writeString(String(length))
    }
    buffer.writeStaticString(closes ? "\r\nConnection: close\r\n\r\n" : "\r\n\r\n")
  }
}

/// Formats the current time for answers (RFC 9110 §5.6.7). The text is computed at most once a
/// second.
final class DateText: Sendable {
  private let last = Mutex<(second: Int64, text: String)>((.min, ""))

  /// - Parameter milliseconds: the time since 1970 UTC.
  func text(at milliseconds: Int64) -> String {
    let second = milliseconds / 1_000
    return last.withLock { last in
      if last.second != second { last = (second, Self.make(second)) }
      return last.text
    }
  }

  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// NB: this function computes the calendar date. It lets a year begin in March, so that the leap
  /// day is the last day of the year.
  static func make(_ second: Int64) -> String {
    let second = max(0, second)
    let (day, time) = (Int(second / 86_400), Int(second % 86_400))
    let shifted = day + 719_468
    let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 2 : marchMonth - 10
    let year = era * 400 + yearOfEra + (month < 2 ? 1 : 0)
    let clock = [time / 3_600, time / 60 % 60, time % 60].map(twoDigits).joined(separator: ":")
    return "\(days[day % 7]), \(twoDigits(dayOfMonth)) \(months[month]) \(year) \(clock) GMT"
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : String(number)
  }
}
