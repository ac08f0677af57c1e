/// A token of a schema file.
struct SchemaToken: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    /// A keyword or a name without quotation marks.
    case word(String)
    /// A name in quotation marks.
    case quoted(String)
    /// One of `( ) < > , ;`.
    case mark(Character)
    case end
  }

  var kind: Kind
  var position: SchemaPosition

  /// The token as messages show it.
  var described: String {
    switch kind {
    case .word(let word): "'\(word.clipped)'"
    case .quoted(let name): "\"\(name.clipped)\""
    case .mark(let mark): "'\(mark)'"
    case .end: "the end of the file"
    }
  }

  /// Whether the token is a keyword. Keywords are recognized in any case.
  func isKeyword(_ keyword: String) -> Bool {
    if case .word(let word) = kind { word.uppercased() == keyword } else { false }
  }

  var keyword: String? { if case .word(let word) = kind { word.uppercased() } else { nil } }
}

extension String {
  /// The beginning of a text, for messages that must stay readable.
  var clipped: String { count > 64 ? "\(prefix(64))…" : self }
}
