import Foundation
import StratusTesting

/// Random texts that are too long to occur by chance, and a search for pieces of them.
struct Canaries {
  let texts: [String]
  /// The pieces, by their first eight bytes. For each key, the value contains the remaining bytes
  /// of the pieces.
  private var pieces: [UInt64: Set<[UInt8]>] = [:]
  /// The number of bytes in a piece.
  private static let pieceLength = 12

  /// - Parameter seed: equal seeds give equal texts.
  init(count: Int, seed: UInt64) {
    var chance = SeededChance(seed: seed)
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    texts = (0..<count).map { _ in
      String((0..<24).map { _ in letters[Int.random(in: 0..<letters.count, using: &chance)] })
    }
    for text in texts {
      for form in Self.forms(of: text) { note(form) }
    }
  }

  /// The text as UTF-8, as UTF-16 in both byte orders, and as base64 at each of the three offsets.
  static func forms(of text: String) -> [[UInt8]] {
    let bytes = Array(text.utf8)
    let wide = Array(text.utf16)
    var forms = [
      bytes, wide.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] },
      wide.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] },
    ]
    for before in 0..<3 {
      let encoded = Data([UInt8](repeating: 0, count: before) + bytes).base64EncodedString()
      // The characters at both ends depend on the neighbouring text and are left out.
      forms.append(Array(encoded.utf8.dropFirst(before == 0 ? 0 : 4).dropLast(4)))
    }
    return forms
  }

  private mutating func note(_ form: [UInt8]) {
    for start in 0...(form.count - Self.pieceLength) {
      let piece = form[start..<start + Self.pieceLength]
      let head = piece.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      pieces[head, default: []].insert(Array(piece.dropFirst(8)))
    }
  }

  /// Returns the offset of the first piece of a text in the bytes. Returns nil if the bytes contain
  /// no piece.
  func place(in bytes: [UInt8]) -> Int? {
    var head: UInt64 = 0
    return bytes.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < bytes.count {
        head = head << 8 | UInt64(bytes[index])
        index += 1
        guard index >= 8, let tails = pieces[head] else { continue }
        let tail = Array(bytes[index..<min(index + Self.pieceLength - 8, bytes.count)])
        if tails.contains(tail) { return index - 8 }
      }
      return nil
    }
  }
}
