import StratusDomain
import StratusWire

/// Reads HTTP's range headers (RFC 9110, section 14).
enum ByteRanges {
  /// The part of a file that a client requests.
  enum Request: Equatable {
    case whole
    case part(Range<Int64>)
    case unsatisfiable
  }

  /// Reads the `Range` field. A malformed range, an unknown unit, or several ranges count as a
  /// request for the whole file, as the RFC allows.
  static func request(_ text: String?, size: Int64) -> Request {
    guard let text, let equals = text.firstIndex(of: "="),
      text[..<equals].trimmed.lowercased() == "bytes"
    else { return .whole }
    let range = text[text.index(after: equals)...].trimmed
    guard !range.contains(","), let dash = range.firstIndex(of: "-") else { return .whole }
    let (first, last) = (range[..<dash].trimmed, range[range.index(after: dash)...].trimmed)
    if first.isEmpty {
      guard let count = number(last) else { return .whole }
      return count == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - count)..<size)
    }
    guard let from = number(first) else { return .whole }
    guard !last.isEmpty else { return from < size ? .part(from..<size) : .unsatisfiable }
    guard let through = number(last), through >= from else { return .whole }
    return from < size ? .part(from..<(min(through, size - 1) + 1)) : .unsatisfiable
  }

  /// Reads `Content-Range: bytes FIRST-LAST/TOTAL`. Returns nil if the field is missing.
  ///
  /// - Throws: `BAD_REQUEST` if the text has another format or if its numbers contradict each
  ///   other.
  static func piece(_ text: String?) throws(ServerError) -> AssetUploads.Piece? {
    guard let text else { return nil }
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    let parts = words.last?.split(separator: "/", omittingEmptySubsequences: false) ?? []
    let bounds = parts.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
    guard words.count == 2, words[0].lowercased() == "bytes", parts.count == 2, bounds.count == 2,
      let first = number(bounds[0]), let last = number(bounds[1]), let total = number(parts[1]),
      first <= last, last < total
    else { throw .badRequest("Content-Range must be 'bytes FIRST-LAST/TOTAL'") }
    return AssetUploads.Piece(first: first, last: last, total: total)
  }

  /// Reads a number that consists of digits only. Returns nil for any other text, and for a number
  /// that is too large.
  private static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text)
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var text = self
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
