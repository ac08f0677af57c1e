/// Splits a Swift text into code, comments and strings, line by line.
///
/// The scanner recognizes line and block comments, and single-line, multi-line and raw strings. An
/// interpolation belongs to its string, which is sufficient for rules about words.
struct SourceScanner {
  private enum State: Equatable {
    case code, lineComment
    case blockComment(depth: Int)
    case string(hashes: Int, isLong: Bool)
  }

  private(set) var code: [String] = [""]
  private(set) var comments: [String] = [""]
  private(set) var strings: [String] = [""]
  private var state = State.code
  private var pending: [Character] = []

  /// Adds the next character of the text.
  mutating func take(_ character: Character) {
    if character.isNewline {
      drain(all: true)
      if state == .lineComment { state = .code }
      if case .string(_, isLong: false) = state { state = .code }
      code.append("")
      comments.append("")
      strings.append("")
      return
    }
    pending.append(character)
    drain(all: false)
  }

  /// Processes the end of the text.
  mutating func finish() { drain(all: true) }

  /// Processes the pending characters. Before the end of the text, keeps the last eight characters,
  /// because a delimiter may have that length.
  private mutating func drain(all: Bool) {
    while all ? !pending.isEmpty : pending.count > 8 {
      switch state {
      case .code: stepInCode()
      case .lineComment: move(to: \.comments)
      case .blockComment(let depth): stepInBlockComment(depth: depth)
      case .string(let hashes, let isLong): stepInString(hashes: hashes, isLong: isLong)
      }
    }
  }

  private mutating func stepInCode() {
    if starts(with: "//") {
      drop(2)
      state = .lineComment
    } else if starts(with: "/*") {
      drop(2)
      state = .blockComment(depth: 1)
    } else if let opening = stringOpening() {
      drop(opening.hashes + (opening.isLong ? 3 : 1))
      append("\"\"", to: \.code)
      state = .string(hashes: opening.hashes, isLong: opening.isLong)
    } else {
      move(to: \.code)
    }
  }

  private mutating func stepInBlockComment(depth: Int) {
    if starts(with: "*/") {
      drop(2)
      state = depth == 1 ? .code : .blockComment(depth: depth - 1)
    } else if starts(with: "/*") {
      drop(2)
      state = .blockComment(depth: depth + 1)
    } else {
      move(to: \.comments)
    }
  }

  private mutating func stepInString(hashes: Int, isLong: Bool) {
    let closing = String(repeating: "\"", count: isLong ? 3 : 1) + marks(hashes)
    if starts(with: closing) {
      drop(closing.count)
      state = .code
    } else if starts(with: "\\" + marks(hashes)), pending.count > hashes + 1 {
      for _ in 0..<hashes + 2 { move(to: \.strings) }
    } else {
      move(to: \.strings)
    }
  }

  private func stringOpening() -> (hashes: Int, isLong: Bool)? {
    let hashes = pending.prefix { $0 == "#" }.count
    guard pending.count > hashes, pending[hashes] == "\"" else { return nil }
    let quotes = pending.dropFirst(hashes).prefix { $0 == "\"" }.count
    return (hashes, quotes >= 3)
  }

  private func marks(_ count: Int) -> String { String(repeating: "#", count: count) }

  private func starts(with text: String) -> Bool { pending.starts(with: text) }

  private mutating func drop(_ count: Int) { pending.removeFirst(min(count, pending.count)) }

  private mutating func move(to part: WritableKeyPath<SourceScanner, [String]>) {
    guard !pending.isEmpty else { return }
    append(String(pending.removeFirst()), to: part)
  }

  private mutating func append(
    _ text: String, to part: WritableKeyPath<SourceScanner, [String]>
  ) {
    self[keyPath: part][self[keyPath: part].count - 1] += text
  }
}
