/// One value of a parsed document: its kind, the position of its text, and the next token.
struct JSONToken {
  enum Kind: UInt8 {
    case object, array, string, escapedString, number, yes, no, null
  }

  let kind: Kind
  /// The offset of the first byte of the text. In a string, it is the byte after the opening quote.
  let start: UInt32
  /// The offset after the last byte of the text. In a string, it is the offset of the closing
  /// quote.
  var end: UInt32
  /// The index of the token that follows this value and all its contents.
  var next: UInt32
}
