/// Makes texts from other users safe for a terminal.
enum Text {
  /// The character for a line break in a text that is shown in one line.
  static let newLine = "⏎"

  /// Returns the text without characters that would move the cursor. A line break is shown as
  /// ``newLine``.
  static func inOneLine(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control: line += scalar == "\n" ? newLine : "?"
      // Some of these characters change the direction of writing.
      case .format, .lineSeparator, .paragraphSeparator: line += "?"
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  /// Converts a text that was entered as one line. In it, a backslash and n, or ``newLine``, mean a
  /// line break.
  static func entered(_ line: String) -> String {
    line.replacing("\\n", with: "\n").replacing(newLine, with: "\n")
  }

  /// Returns the text as one line of exactly this width, cut or filled with spaces.
  static func fit(_ text: String, _ width: Int) -> String {
    let line = inOneLine(text)
    if line.count <= width { return line + String(repeating: " ", count: width - line.count) }
    return width > 0 ? line.prefix(width - 1) + "…" : ""
  }

  /// Returns the text in lines of at most this width, broken between words.
  static func wrapped(_ text: String, _ width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + word.count < width {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
