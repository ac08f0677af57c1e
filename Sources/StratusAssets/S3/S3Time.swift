import Foundation

/// Reads the times in answers of S3. The results are in milliseconds since 1970 UTC.
enum S3Time {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Reads a time such as `Wed, 12 Oct 2009 17:50:00 GMT`.
  static func ofHeader(_ text: String) -> Int64? {
    let words = text.split(separator: " ")
    guard words.count == 6, let month = months.firstIndex(of: String(words[2])) else { return nil }
    return time(year: words[3], month: month + 1, day: words[1], clock: words[4])
  }

  /// Reads a time such as `2009-10-12T17:50:30.000Z`. Fractions of a second are ignored.
  static func ofList(_ text: String) -> Int64? {
    let halves = text.split(separator: "T")
    let date = halves.first?.split(separator: "-") ?? []
    guard halves.count == 2, date.count == 3, let month = Int(date[1]) else { return nil }
    return time(year: date[0], month: month, day: date[2], clock: halves[1].prefix(8))
  }

  private static func time(
    year: Substring, month: Int, day: Substring, clock: Substring
  ) -> Int64? {
    let numbers = clock.split(separator: ":").compactMap { Int32($0) }
    guard let year = Int32(year), let day = Int32(day), numbers.count == 3,
      (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
      (0...23).contains(numbers[0]), (0...59).contains(numbers[1]), (0...60).contains(numbers[2])
    else { return nil }
    var parts = tm()
    parts.tm_year = year - 1_900
    parts.tm_mon = Int32(month - 1)
    parts.tm_mday = day
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[0], numbers[1], numbers[2])
    return Int64(timegm(&parts)) * 1_000
  }
}
