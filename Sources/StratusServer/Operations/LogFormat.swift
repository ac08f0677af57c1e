import StratusWire

/// The format of the lines of the server's log.
public enum LogFormat: String, Sendable, Hashable, CaseIterable {
  /// A line for people: time, level, message, and `key=value` pairs.
  case text
  /// One JSON object in each line.
  case json
}

/// Some lines of the log, in either format.
///
/// Values may come from callers. In the text format, a value with a space or a control character is
/// written as a JSON string, so that no value can imitate another line or another value.
struct LogLines {
  private(set) var count = 0
  private let format: LogFormat
  /// The lines in the text format.
  private var text: [UInt8] = []
  /// The lines in the JSON format.
  private var json: JSONWriter
  /// The time of the last line, and its text. Many requests end in the same millisecond.
  private var lastTime: (milliseconds: Int64, text: String) = (.min, "")

  /// - Parameter linesMax: the expected number of lines.
  init(_ format: LogFormat, reserving linesMax: Int = 1) {
    self.format = format
    let capacity = linesMax * 768
    json = JSONWriter(reserving: format == .json ? capacity : 0)
    if format == .text { text.reserveCapacity(capacity) }
  }

  /// The lines, each with its line feed.
  var bytes: [UInt8] { format == .json ? json.bytes : text }

  /// Removes all lines, and keeps the memory for further lines.
  mutating func removeAll() {
    text.removeAll(keepingCapacity: true)
    json.removeAll()
    count = 0
  }

  /// Adds a line.
  ///
  /// - Parameters:
  ///   - time: the time in milliseconds since 1970 UTC.
  ///   - level: for example `error`.
  ///   - pairs: adds the pairs of the line.
  mutating func add(
    time: Int64, level: String, message: String, pairs: (inout LogLines) -> Void = { _ in }
  ) {
    if time != lastTime.milliseconds {
      lastTime = (time, String(decoding: UTCTime.precise(time), as: UTF8.self))
    }
    switch format {
    case .text:
      text.append(contentsOf: lastTime.text.utf8)
      text.append(UInt8(ascii: " "))
      text.append(contentsOf: level.utf8)
      text.append(UInt8(ascii: " "))
      for byte in message.utf8 { text.append(byte < 0x20 ? UInt8(ascii: " ") : byte) }
      pairs(&self)
      text.append(0x0A)
    case .json:
      json.beginObject()
      pair("time", lastTime.text)
      pair("level", level)
      pair("message", message)
      pairs(&self)
      json.endObject()
      json.endLine()
    }
    count += 1
  }

  /// Adds a text, unless it is nil.
  ///
  /// - Parameter key: ASCII text without quotation marks, backslashes and spaces.
  mutating func pair(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    switch format {
    case .text:
      begin(key)
      add(value)
    case .json: json.member(key, value)
    }
  }

  mutating func pair(_ key: StaticString, _ value: Int) {
    switch format {
    case .text:
      begin(key)
      text.append(contentsOf: String(value).utf8)
    case .json: json.member(key, Int64(value))
    }
  }

  /// Adds a text with a key that may contain any characters. Such a key is escaped like a value.
  mutating func pair(named key: String, _ value: String) {
    switch format {
    case .text:
      text.append(UInt8(ascii: " "))
      add(key)
      text.append(UInt8(ascii: "="))
      add(value)
    case .json:
      json.key(key)
      json.string(value)
    }
  }

  private mutating func begin(_ key: StaticString) {
    text.append(UInt8(ascii: " "))
    text.append(
      contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    text.append(UInt8(ascii: "="))
  }

  /// Adds a key or a value in the text format. Most values are copied, because they have no byte
  /// that separates values.
  private mutating func add(_ value: String) {
    var value = value
    let isPlain = value.withUTF8 { bytes in
      let isPlain =
        !bytes.isEmpty
        && bytes.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F }
      if isPlain { text.append(contentsOf: bytes) }
      return isPlain
    }
    if isPlain { return }
    var quoted = JSONWriter(reserving: value.utf8.count + 2)
    quoted.string(value)
    text.append(contentsOf: quoted.bytes)
  }
}

extension UTCTime {
  /// Returns a time with milliseconds, such as `2026-11-23T07:40:00.123Z`.
  ///
  /// NB: Foundation's formatter would take longer than all other work for a line, and each request
  /// may write a line.
  static func precise(_ milliseconds: Int64) -> [UInt8] {
    let seconds = milliseconds / 1_000
    let (days, second) = (seconds / 86_400, seconds % 86_400)
    // These years begin in March, so that the leap day is the last day of a year.
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let part = (5 * dayOfYear + 2) / 153
    let month = part < 10 ? part + 3 : part - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    var text: [UInt8] = []
    text.reserveCapacity(24)
    func add(_ number: Int64, _ digits: Int, _ end: UInt8) {
      var divisor: Int64 = 1
      for _ in 1..<digits { divisor *= 10 }
      while divisor > 0 {
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
        divisor /= 10
      }
      text.append(end)
    }
    add(year, 4, UInt8(ascii: "-"))
    add(month, 2, UInt8(ascii: "-"))
    add(dayOfYear - (153 * part + 2) / 5 + 1, 2, UInt8(ascii: "T"))
    add(second / 3_600, 2, UInt8(ascii: ":"))
    add(second / 60 % 60, 2, UInt8(ascii: ":"))
    add(second % 60, 2, UInt8(ascii: "."))
    add(milliseconds % 1_000, 3, UInt8(ascii: "Z"))
    return text
  }
}
