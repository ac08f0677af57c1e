/// Names that users and programs choose, and that pages show.
enum ShownName {
  private static let lengthMax = 64

  /// Returns a name in one line and with at most 64 characters. Characters that are invisible or
  /// change the direction of the text are replaced.
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
