/// The text of a progress line.
struct ProgressText {
  private static let barColumns = 20
  /// The time after which the line shows how much time is left. Earlier, the speed of the work is
  /// not known.
  private static let estimateMilliseconds: Int64 = 1_000

  var title: String
  var done: Int64
  /// The total amount of work, or nil if it is unknown.
  var total: Int64?
  var unit: ProgressLine.Unit
  var elapsedMilliseconds: Int64

  /// The milliseconds until all work is done, at the average speed so far, or nil if they are
  /// unknown.
  var millisecondsLeft: Int64? {
    guard let total, done > 0, done <= total, elapsedMilliseconds >= Self.estimateMilliseconds
    else { return nil }
    let left = Double(elapsedMilliseconds) * Double(total - done) / Double(done)
    return Int64(exactly: left.rounded())
  }

  /// Returns the line, with at most `columns` characters.
  func line(columns: Int) -> String {
    guard let total else {
      let parts = [title, unit == .seconds ? nil : amount(done), Self.time(elapsedMilliseconds)]
      return String(parts.compactMap(\.self).joined(separator: "  ").prefix(columns))
    }
    let share = total > 0 ? min(1, max(0, Double(done) / Double(total))) : 1
    let percent = "\(Int(share * 100)) %"
    let left = millisecondsLeft.map { Self.time($0) + " left" }
    let filled = Int(share * Double(Self.barColumns))
    let bar =
      "[" + String(repeating: "#", count: filled)
      + String(repeating: ".", count: Self.barColumns - filled) + "]"
    let amounts = unit == .seconds ? nil : "\(amount(done)) of \(amount(total))"
    // If the terminal is too narrow, the bar is left out first, then the amounts. Last, the title
    // is cut off.
    for parts in [[bar, percent, amounts, left], [percent, amounts, left], [percent, left]] {
      let text = ([title] + parts.compactMap(\.self)).joined(separator: "  ")
      if text.count <= columns { return text }
    }
    let rest = [percent, left].compactMap(\.self).joined(separator: "  ")
    let room = max(0, columns - rest.count - 2)
    return String((title.prefix(room) + "  " + rest).prefix(columns))
  }

  private func amount(_ number: Int64) -> String {
    switch unit {
    case .bytes: Self.bytes(number)
    case .count(let name): "\(number) \(name)"
    case .seconds: Self.time(number)
    }
  }

  /// Formats a number of bytes with few digits, such as `1.5 MB`.
  static func bytes(_ number: Int64) -> String {
    var value = Double(number)
    for unit in ["B", "kB", "MB", "GB"] {
      if value < 999.5 { return text(value, isWhole: unit == "B") + " " + unit }
      value /= 1_000
    }
    return text(value, isWhole: false) + " TB"
  }

  private static func text(_ value: Double, isWhole: Bool) -> String {
    if isWhole || value >= 9.95 { return "\(Int(value.rounded()))" }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  /// Formats a duration with its two largest units.
  static func time(_ milliseconds: Int64) -> String {
    let seconds = (milliseconds + 500) / 1_000
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 3_600 { return "\(seconds / 60) min \(twoDigits(seconds % 60)) s" }
    return "\(seconds / 3_600) h \(twoDigits(seconds % 3_600 / 60)) min"
  }

  private static func twoDigits(_ number: Int64) -> String {
    (number < 10 ? "0" : "") + "\(number)"
  }
}
