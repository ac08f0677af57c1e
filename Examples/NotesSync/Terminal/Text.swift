/// Texts that others wrote, as a terminal may have them.
enum Text {
  /// Stands for the end of a line where a text is shown in one.
  static let newLine = "⏎"

  /// Without anything that would move the cursor; a new line is shown as ``newLine``.
  static func inOneLine(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control: line += scalar == "\n" ? newLine : "?"
      // Among them are those that turn the direction of writing.
      case .format, .lineSeparator, .paragraphSeparator: line += "?"
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  /// A text that was entered in one line: a backslash and n, or ``newLine``, begin a new line.
  static func entered(_ line: String) -> String {
    line.replacing("\\n", with: "\n").replacing(newLine, with: "\n")
  }

  /// The beginning of a text in a column of so many characters.
  static func fit(_ text: String, _ width: Int) -> String {
    let line = inOneLine(text)
    if line.count <= width { return line + String(repeating: " ", count: width - line.count) }
    return width > 0 ? line.prefix(width - 1) + "…" : ""
  }

  /// In lines of so many characters at most, broken between words.
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
