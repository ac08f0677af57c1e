/// Names that users and programs choose, and that pages show.
enum ShownName {
  private static let lengthMax = 64

  /// Returns a name in one line, without characters that are invisible or change the direction of
  /// the text, and not too long for a page.
  static func clean(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(1_000).map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
      default: scalar
      }
    }
    return String(String(String.UnicodeScalarView(scalars)).prefix(lengthMax))
  }
}
