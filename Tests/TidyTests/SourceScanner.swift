/// Splits a Swift text into code, comments and strings, line by line.
///
/// The scanner recognizes line and block comments, and single-line, multi-line and raw strings. An
/// interpolation belongs to its string, which is sufficient for rules about words.
struct SourceScanner {
  private typealias Part = WritableKeyPath<SourceScanner, TextLines>
  private enum State {
    case code, lineComment
    case blockComment(depth: Int)
    case string(hashes: Int, isLong: Bool)
  }

  private(set) var code = TextLines()
  private(set) var comments = TextLines()
  private(set) var strings = TextLines()
  private var state = State.code
  /// The index of the first byte that is in no part yet.
  private var position = 0

  /// Scans a text in UTF-8.
  init(_ text: [UInt8]) {
    text.withUnsafeBufferPointer { text in
      while position < text.count { step(text) }
    }
  }

  /// Moves the bytes before the next byte with a meaning into the current part, and then processes
  /// this byte.
  private mutating func step(_ text: UnsafeBufferPointer<UInt8>) {
    switch state {
    case .code: stepInCode(text)
    case .lineComment:
      move(until: next(.lineFeed, .lineFeed, in: text), of: text, to: \.comments)
    case .blockComment(let depth): stepInBlockComment(text, depth: depth)
    case .string(let hashes, let isLong): stepInString(text, hashes: hashes, isLong: isLong)
    }
    if position < text.count, text[position] == .lineFeed { endLine() }
  }

  private mutating func stepInCode(_ text: UnsafeBufferPointer<UInt8>) {
    let stop = next(.slash, .quote, in: text)
    guard stop < text.count, text[stop] != .lineFeed else {
      return move(until: stop, of: text, to: \.code)
    }
    if text[stop] == .quote {
      var hashes = 0
      while stop - hashes > position, text[stop - hashes - 1] == .hash { hashes += 1 }
      move(until: stop - hashes, of: text, to: \.code)
      let isLong = has([.quote, .quote, .quote], at: stop, of: text)
      position = stop + (isLong ? 3 : 1)
      code.append([.quote, .quote])
      state = .string(hashes: hashes, isLong: isLong)
    } else if has([.slash, .slash], at: stop, of: text) {
      move(until: stop, of: text, to: \.code)
      position += 2
      state = .lineComment
    } else if has([.slash, .star], at: stop, of: text) {
      move(until: stop, of: text, to: \.code)
      position += 2
      state = .blockComment(depth: 1)
    } else {
      move(until: stop + 1, of: text, to: \.code)
    }
  }

  private mutating func stepInBlockComment(_ text: UnsafeBufferPointer<UInt8>, depth: Int) {
    let stop = next(.slash, .star, in: text)
    if has([.star, .slash], at: stop, of: text) {
      move(until: stop, of: text, to: \.comments)
      position += 2
      state = depth == 1 ? .code : .blockComment(depth: depth - 1)
    } else if has([.slash, .star], at: stop, of: text) {
      move(until: stop, of: text, to: \.comments)
      position += 2
      state = .blockComment(depth: depth + 1)
    } else {
      let isLineEnd = stop == text.count || text[stop] == .lineFeed
      move(until: isLineEnd ? stop : stop + 1, of: text, to: \.comments)
    }
  }

  private mutating func stepInString(
    _ text: UnsafeBufferPointer<UInt8>, hashes: Int, isLong: Bool
  ) {
    let stop = next(.quote, .backslash, in: text)
    move(until: stop, of: text, to: \.strings)
    guard stop < text.count, text[stop] != .lineFeed else { return }
    let marks = [UInt8](repeating: .hash, count: hashes)
    let closing = [UInt8](repeating: .quote, count: isLong ? 3 : 1) + marks
    let escape = [.backslash] + marks
    if has(closing, at: stop, of: text) {
      position += closing.count
      state = .code
    } else if has(escape, at: stop, of: text), stop + escape.count < text.count,
      text[stop + escape.count] != .lineFeed
    {
      move(until: stop + escape.count + 1, of: text, to: \.strings)
    } else {
      move(until: stop + 1, of: text, to: \.strings)
    }
  }

  private mutating func endLine() {
    position += 1
    switch state {
    case .lineComment, .string(_, isLong: false): state = .code
    case .code, .blockComment, .string: break
    }
    code.endLine()
    comments.endLine()
    strings.endLine()
  }

  /// The index of the next line feed or of the next of two bytes, or the text's end.
  private func next(
    _ first: UInt8, _ second: UInt8, in text: UnsafeBufferPointer<UInt8>
  ) -> Int {
    guard let bytes = text.baseAddress else { return text.count }
    let count = text.count
    var index = position
    while index < count {
      let byte = bytes[index]
      if byte == first || byte == second || byte == 10 { break }
      index &+= 1
    }
    return index
  }

  private func has(_ bytes: [UInt8], at index: Int, of text: UnsafeBufferPointer<UInt8>) -> Bool {
    text[index...].starts(with: bytes)
  }

  private mutating func move(
    until end: Int, of text: UnsafeBufferPointer<UInt8>, to part: Part
  ) {
    guard end > position else { return }
    self[keyPath: part].append(UnsafeBufferPointer(rebasing: text[position..<end]))
    position = end
  }
}

extension UInt8 {
  static let lineFeed = UInt8(ascii: "\n")
  fileprivate static let slash = UInt8(ascii: "/")
  fileprivate static let star = UInt8(ascii: "*")
  fileprivate static let quote = UInt8(ascii: "\"")
  fileprivate static let backslash = UInt8(ascii: "\\")
  fileprivate static let hash = UInt8(ascii: "#")
}
