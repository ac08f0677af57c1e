import Foundation
import Testing

@testable import StratusWire

@Suite struct `The JSON writer` {
  private func text(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func parsed(_ text: String) throws -> [String: Any]? {
    try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
  }

  /// The writer tests eight bytes at a time, and writes long strings in another way, so each length
  /// and each position is tested.
  @Test(arguments: [
    "\"", "\\", "\n", "\u{0}", "\u{1F}", " ", "!", "#", "[", "]", "\u{7F}", "é", "𝄞",
  ])
  func `a string with a character at any position is read as it was written`(
    _ character: String
  ) throws {
    for length in [0, 1, 6, 7, 8, 9, 15, 16, 17, 510, 511, 512, 513, 600] {
      for position in Set([0, 1, 6, 7, 8, 15, length - 1, length])
      where (0...length).contains(position) {
        let value =
          String(repeating: "a", count: position) + character
          + String(repeating: "~", count: length - position)
        let written = text { writer in
          writer.object { writer in
            writer.member("first", value)
            writer.key(value)
            writer.string(value)
            writer.member("last", 7)
          }
        }
        let json = try parsed(written)
        #expect(json?["first"] as? String == value, "length \(length), position \(position)")
        #expect(json?[value] as? String == value)
        #expect(json?["last"] as? Int == 7)
        #expect(written.utf8.allSatisfy { $0 >= 0x20 })
      }
    }
  }

  @Test(arguments: [
    0, 1, 9, 10, 99, 100, -1, -10, Int64.max, Int64.min, 1_000_000_000_000_000_000,
  ])
  func `a whole number is written with all its digits`(_ number: Int64) {
    #expect(text { $0.int(number) } == "\(number)")
    #expect(text { $0.object { $0.member("n", number) } } == "{\"n\":\(number)}")
  }

  @Test func `members that are nil leave no comma`() {
    let written = text { writer in
      writer.object { writer in
        writer.member("a", nil as String?)
        writer.member("b", "x")
        writer.member("c", nil as Int64?)
        writer.member("d", "")
      }
    }
    #expect(written == "{\"b\":\"x\",\"d\":\"\"}")
  }

  @Test func `lines are separated by line feeds and not by commas`() {
    let written = text { writer in
      for number: Int64 in 1...2 {
        writer.object { $0.member("n", number) }
        writer.endLine()
      }
    }
    #expect(written == "{\"n\":1}\n{\"n\":2}\n")
  }
}
