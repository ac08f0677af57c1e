/// Turns JSON text into tokens in one pass.
struct JSONParser {
  private(set) var tokens: [JSONToken] = []
  private let depthMax: Int
  private var position = 0

  init(count: Int, depthMax: Int) {
    self.depthMax = depthMax
    tokens.reserveCapacity(max(8, min(count / 12, 65_536)))
  }

  /// Parses the whole text. Returns the failure, or nil if the text is valid.
  mutating func parse(_ text: UnsafeBufferPointer<UInt8>) -> JSONFailure? {
    guard text.count < Int(UInt32.max) else {
      return JSONFailure(problem: "the text is too long", offset: 0)
    }
    if let offset = UTF8Validation.firstInvalidByte(in: text) {
      return JSONFailure(problem: "the text is not UTF-8", offset: offset)
    }
    do throws(JSONProblem) {
      try value(text, depth: 0)
      skipSpace(text)
      if position < text.count { throw JSONProblem("text after the value") }
      return nil
    } catch {
      return JSONFailure(problem: error.text, offset: position)
    }
  }

  private mutating func skipSpace(_ text: UnsafeBufferPointer<UInt8>) {
    while position < text.count {
      switch text[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  private mutating func value(
    _ text: UnsafeBufferPointer<UInt8>, depth: Int
  ) throws(JSONProblem) {
    skipSpace(text)
    guard position < text.count else { throw JSONProblem("the text ends early") }
    switch text[position] {
    case UInt8(ascii: "{"): try object(text, depth: depth + 1)
    case UInt8(ascii: "["): try array(text, depth: depth + 1)
    case UInt8(ascii: "\""): try string(text)
    case UInt8(ascii: "t"): try word("true", .yes, text)
    case UInt8(ascii: "f"): try word("false", .no, text)
    case UInt8(ascii: "n"): try word("null", .null, text)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number(text)
    default: throw JSONProblem("a value was expected")
    }
  }

  private mutating func object(
    _ text: UnsafeBufferPointer<UInt8>, depth: Int
  ) throws(JSONProblem) {
    let own = try open(.object, depth: depth)
    skipSpace(text)
    if try take(UInt8(ascii: "}"), text) { return close(own) }
    while true {
      skipSpace(text)
      guard position < text.count, text[position] == UInt8(ascii: "\"") else {
        throw JSONProblem("a key was expected")
      }
      try string(text)
      skipSpace(text)
      guard try take(UInt8(ascii: ":"), text) else { throw JSONProblem("':' was expected") }
      try value(text, depth: depth)
      skipSpace(text)
      if try take(UInt8(ascii: "}"), text) { return close(own) }
      guard try take(UInt8(ascii: ","), text) else { throw JSONProblem("',' was expected") }
    }
  }

  private mutating func array(
    _ text: UnsafeBufferPointer<UInt8>, depth: Int
  ) throws(JSONProblem) {
    let own = try open(.array, depth: depth)
    skipSpace(text)
    if try take(UInt8(ascii: "]"), text) { return close(own) }
    while true {
      try value(text, depth: depth)
      skipSpace(text)
      if try take(UInt8(ascii: "]"), text) { return close(own) }
      guard try take(UInt8(ascii: ","), text) else { throw JSONProblem("',' was expected") }
    }
  }

  private mutating func open(
    _ kind: JSONToken.Kind, depth: Int
  ) throws(JSONProblem) -> Int {
    if depth > depthMax { throw JSONProblem("more than \(depthMax) levels") }
    tokens.append(JSONToken(kind: kind, start: UInt32(position), end: 0, next: 0))
    position += 1
    return tokens.count - 1
  }

  private mutating func close(_ index: Int) {
    tokens[index].end = UInt32(position)
    tokens[index].next = UInt32(tokens.count)
  }

  private mutating func take(
    _ byte: UInt8, _ text: UnsafeBufferPointer<UInt8>
  ) throws(JSONProblem) -> Bool {
    guard position < text.count else { throw JSONProblem("the text ends early") }
    guard text[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func add(_ kind: JSONToken.Kind, from start: Int, to end: Int) {
    let next = UInt32(tokens.count + 1)
    tokens.append(JSONToken(kind: kind, start: UInt32(start), end: UInt32(end), next: next))
  }

  private mutating func word(
    _ word: StaticString, _ kind: JSONToken.Kind, _ text: UnsafeBufferPointer<UInt8>
  ) throws(JSONProblem) {
    let start = position
    for index in 0..<word.utf8CodeUnitCount {
      guard start + index < text.count, text[start + index] == word.utf8Start[index] else {
        throw JSONProblem("a value was expected")
      }
    }
    position += word.utf8CodeUnitCount
    add(kind, from: start, to: position)
  }

  private mutating func string(_ text: UnsafeBufferPointer<UInt8>) throws(JSONProblem) {
    position += 1
    let start = position
    var kind = JSONToken.Kind.string
    while position < text.count {
      let byte = text[position]
      if byte == UInt8(ascii: "\"") {
        add(kind, from: start, to: position)
        position += 1
        return
      }
      if byte < 0x20 { throw JSONProblem("a control character in a string") }
      if byte == UInt8(ascii: "\\") {
        kind = .escapedString
        try JSONEscape.check(text, at: &position)
      } else {
        position += 1
      }
    }
    throw JSONProblem("a string without end")
  }

  private mutating func number(_ text: UnsafeBufferPointer<UInt8>) throws(JSONProblem) {
    let start = position
    if text[position] == UInt8(ascii: "-") { position += 1 }
    let leading = position
    try digits(text)
    if text[leading] == UInt8(ascii: "0"), position > leading + 1 {
      throw JSONProblem("a number with a leading zero")
    }
    if position < text.count, text[position] == UInt8(ascii: ".") {
      position += 1
      try digits(text)
    }
    if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < text.count,
        text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-")
      {
        position += 1
      }
      try digits(text)
    }
    add(.number, from: start, to: position)
  }

  private mutating func digits(_ text: UnsafeBufferPointer<UInt8>) throws(JSONProblem) {
    let start = position
    while position < text.count, (0x30...0x39).contains(text[position]) { position += 1 }
    if position == start { throw JSONProblem("a digit was expected") }
  }
}

/// The fault at the parser's position.
struct JSONProblem: Error {
  let text: String

  init(_ text: String) { self.text = text }
}
