/// An element of an XML document that S3 sent.
///
/// The reader understands only the syntax in S3's answers: elements, texts, the five named
/// entities, and numeric character references. It ignores attributes.
struct S3Element {
  var name: String
  var text = ""
  var children: [S3Element] = []

  private static let depthMax = 8

  /// Returns the root of a document, or nil if the document is malformed.
  init?(_ bytes: [UInt8]) {
    var open: [S3Element] = [S3Element(name: "")]
    var rest = bytes[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
      open[open.count - 1].text += Self.plain(rest[..<start])
      guard let end = rest[start...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
      let tag = rest[(start + 1)..<end]
      rest = rest[(end + 1)...]
      switch tag.first {
      case nil: return nil
      case UInt8(ascii: "?"), UInt8(ascii: "!"): continue
      case UInt8(ascii: "/"):
        guard open.count > 1, let done = open.popLast(),
          done.name.utf8.elementsEqual(tag.dropFirst())
        else { return nil }
        open[open.count - 1].children.append(done)
      case .some:
        let name = tag.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "/") && $0 != 10 }
        let element = S3Element(name: String(decoding: name, as: UTF8.self))
        if tag.last == UInt8(ascii: "/") {
          open[open.count - 1].children.append(element)
        } else {
          guard open.count <= Self.depthMax else { return nil }
          open.append(element)
        }
      }
    }
    guard open.count == 1, open[0].children.count == 1 else { return nil }
    self = open[0].children[0]
  }

  private init(name: String) { self.name = name }

  /// Returns the text of the first child with a name.
  subscript(_ name: String) -> String? { children.first { $0.name == name }?.text }

  /// Returns all children with a name.
  func all(_ name: String) -> [S3Element] { children.filter { $0.name == name } }

  private static func plain(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var plain = ""
    for (index, part) in text.split(separator: "&", omittingEmptySubsequences: false).enumerated() {
      guard index > 0, let end = part.firstIndex(of: ";") else {
        plain += part
        continue
      }
      plain += character(of: part[..<end]) + part[part.index(after: end)...]
    }
    return plain
  }

  private static func character(of entity: Substring) -> String {
    switch entity {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    case _:
      let isHex = entity.hasPrefix("#x")
      let number = UInt32(entity.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10)
      return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? ""
    }
  }
}
