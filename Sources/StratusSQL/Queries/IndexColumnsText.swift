import StratusDomain
import StratusWire

/// How the columns of an index are kept: a line each, of form, kind of source, and name.
///
///     value field title
///     descendingValue system ___modTime
///     pairs searchable
///
/// NB: the text is on disk. Form and name come last in no line that an older program wrote
/// otherwise; new kinds of source need a word of their own.
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

  /// The word on disk. Tokens changed their meaning once, and with it their word: an index of the
  /// old ones must not be taken for one of the new.
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

  /// - Throws: `INTERNAL_ERROR` if the text was not made by ``text(of:)``.
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
