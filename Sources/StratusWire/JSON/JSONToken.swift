/// One value of a parsed document: what it is, where its text lies, and where the next one begins.
struct JSONToken {
  enum Kind: UInt8 {
    case object, array, string, escapedString, number, yes, no, null
  }

  let kind: Kind
  /// Offset of the first byte of the text (after the quote of a string).
  let start: UInt32
  /// Offset behind the last byte of the text (before the closing quote of a string).
  var end: UInt32
  /// Index of the token that follows this value and all it holds.
  var next: UInt32
}
