extension Character {
  /// The number of terminal columns that the character needs.
  var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    let isEmoji = unicodeScalars.contains {
      $0.properties.isEmojiPresentation || $0.value == 0xFE0F
    }
    return isEmoji || Self.wide.contains { $0.contains(first.value) } ? 2 : 1
  }

  /// The code points of East Asian scripts. Their characters need two columns.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
  ]
}

extension StringProtocol {
  /// The number of terminal columns that the text needs.
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// Returns the longest beginning of the text that fits into this number of columns.
  func prefix(columns: Int) -> String {
    var (text, room) = ("", columns)
    for character in self {
      room -= character.columns
      if room < 0 { break }
      text.append(character)
    }
    return text
  }

  /// Returns the longest end of the text that fits into this number of columns.
  func suffix(columns: Int) -> String {
    var (text, room) = ([Character](), columns)
    for character in reversed() {
      room -= character.columns
      if room < 0 { break }
      text.append(character)
    }
    return String(text.reversed())
  }

  /// Returns the text in lines of at most this number of columns, broken between words if possible.
  func wrapped(columns: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      var rest = line.isEmpty && lines.isEmpty ? String(word) : "\(line) \(word)"
      if rest.columns > columns, !line.isEmpty {
        lines.append(line)
        rest = String(word)
      }
      while rest.columns > columns {
        let piece = rest.prefix(columns: columns)
        guard !piece.isEmpty else { break }
        lines.append(piece)
        rest.removeFirst(piece.count)
      }
      line = rest
    }
    return lines + [line]
  }
}
