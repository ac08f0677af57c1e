import StratusDomain
import StratusWire

/// The stored text of an index's columns. Each line describes one column: it contains the form, the
/// kind of source and the name.
///
///     value field title
///     descendingValue system ___modTime
///     pairs searchable
///
/// NB: the text is stored on disk. The words of a line must keep their meaning, because earlier
/// versions also wrote them. A new kind of source needs a new word.
enum IndexColumnsText {
  static func text(of columns: [IndexColumn]) -> String {
    columns.map { column in
      let form = word(of: column.form)
      return switch column.source {
      case .field(let name): "\(form) field \(name)"
      case .system(let field): "\(form) system \(field.rawValue)"
      case .searchableFields: "\(form) searchable"
      }
    }.joined(separator: "\n")
  }

  /// Returns the stored word of a form. The meaning of tokens changed once, and the new tokens got
  /// a new word. An index with the old tokens must not be read as an index with the new tokens.
  private static func word(of form: IndexColumn.Form) -> String {
    switch form {
    case .token: "pairs"
    case .earlierToken: "token"
    case .value, .descendingValue, .member, .cell: form.rawValue
    }
  }

  private static func form(of word: Substring) -> IndexColumn.Form? {
    switch word {
    case "pairs": .token
    case "token": .earlierToken
    case "earlierToken": nil
    default: IndexColumn.Form(rawValue: String(word))
    }
  }

  /// - Throws: `INTERNAL_ERROR` unless ``text(of:)`` created the text.
  static func columns(of text: String) throws(ServerError) -> [IndexColumn] {
    var columns: [IndexColumn] = []
    for line in text.split(separator: "\n") {
      guard let column = column(of: line) else {
        throw .fault("an index has an unknown column", facts: ["column": String(line)])
      }
      columns.append(column)
    }
    return columns
  }

  private static func column(of line: Substring) -> IndexColumn? {
    let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count >= 2, let form = form(of: words[0]) else {
      return nil
    }
    switch (words[1], words.count) {
    case ("field", 3): return IndexColumn(.field(String(words[2])), form)
    case ("system", 3):
      guard let field = SystemField(rawValue: String(words[2])) else { return nil }
      return IndexColumn(.system(field), form)
    case ("searchable", 2): return IndexColumn(.searchableFields, form)
    default: return nil
    }
  }
}
