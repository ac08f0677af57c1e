import StratusDomain
import StratusWire

/// Reads the single file of a form (RFC 7578) piece by piece, in constant memory.
final class Multipart: BodyPieces {
  private enum State {
    case preamble, head, contents, epilogue
  }

  /// The maximum length of the head of a form part, in bytes. Choice: such a head has three short
  /// lines.
  private static let headBytesMax = 16_384

  private let source: any BodyPieces
  /// A line break and the line that separates the form parts.
  private let delimiter: [UInt8]
  private var state = State.preamble
  /// The bytes that have arrived and have not been parsed yet.
  ///
  /// NB: the buffer begins with a line break that the client did not send. A delimiter at the
  /// beginning of the body therefore looks like a later delimiter.
  private var waiting: [UInt8] = [13, 10]

  init(_ source: any BodyPieces, boundary: String) {
    self.source = source
    delimiter = Array("\r\n--\(boundary)".utf8)
  }

  /// Returns the boundary in a content type, or nil if the content type is not that of a form.
  ///
  /// - Throws: `BAD_REQUEST` if the content type is that of a form and contains no boundary.
  static func boundary(ofContentType text: String?) throws(ServerError) -> String? {
    guard let text else { return nil }
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    guard parts.first?.lowercased().trimmedSpaces == "multipart/form-data" else { return nil }
    for part in parts.dropFirst() {
      guard let equals = part.firstIndex(of: "="),
        part[..<equals].lowercased().trimmedSpaces == "boundary"
      else { continue }
      var value = String(part[part.index(after: equals)...]).trimmedSpaces
      if value.hasPrefix("\""), value.hasSuffix("\""), value.count >= 2 {
        value = String(value.dropFirst().dropLast())
      }
      if (1...70).contains(value.utf8.count) { return value }
    }
    throw .badRequest("the form's content type names no boundary")
  }

  func next() async throws(ServerError) -> [UInt8]? {
    while true {
      switch state {
      case .preamble:
        if let found = find(delimiter) {
          waiting.removeFirst(found + delimiter.count)
          state = .head
        } else {
          try await fill(keeping: delimiter.count)
        }
      case .head: try await readHead()
      case .contents:
        if let found = find(delimiter) {
          let contents = Array(waiting[..<found])
          waiting.removeFirst(found + delimiter.count)
          state = .epilogue
          if !contents.isEmpty { return contents }
        } else if waiting.count > delimiter.count {
          // The last bytes may be the beginning of a delimiter.
          let count = waiting.count - delimiter.count
          defer { waiting.removeFirst(count) }
          return Array(waiting[..<count])
        } else {
          try await read()
        }
      case .epilogue:
        try await readEpilogue()
        return nil
      }
    }
  }

  private func readHead() async throws(ServerError) {
    if waiting.starts(with: Array("--".utf8)) { throw .badRequest("the form contains no file") }
    let end = Array("\r\n\r\n".utf8)
    if let found = find(end) {
      waiting.removeFirst(found + end.count)
      state = .contents
      return
    }
    if waiting.count > Self.headBytesMax { throw Self.malformed }
    try await read()
  }

  private func readEpilogue() async throws(ServerError) {
    while waiting.count < 2 { try await read() }
    guard waiting.starts(with: Array("--".utf8)) else {
      throw .badRequest("the form contains more than one part; an upload URL accepts one file")
    }
    while let more = try await source.next() { _ = more }
  }

  /// Removes all bytes of the buffer except the last `count`, and then reads more bytes into it.
  private func fill(keeping count: Int) async throws(ServerError) {
    if waiting.count > count { waiting.removeFirst(waiting.count - count) }
    try await read()
  }

  private func read() async throws(ServerError) {
    guard let more = try await source.next() else { throw Self.malformed }
    waiting += more
  }

  private static let malformed = ServerError.badRequest("the form is malformed")

  /// Returns the index of the first occurrence of these bytes in ``waiting``, or nil if there is
  /// none.
  private func find(_ wanted: [UInt8]) -> Int? {
    guard waiting.count >= wanted.count, let first = wanted.first else { return nil }
    return waiting.withUnsafeBufferPointer { bytes in
      let last = bytes.count - wanted.count
      var start = 0
      while start <= last {
        guard let found = bytes[start...last].firstIndex(of: first) else { return nil }
        var matched = 1
        while matched < wanted.count, bytes[found + matched] == wanted[matched] { matched += 1 }
        if matched == wanted.count { return found }
        start = found + 1
      }
      return nil
    }
  }
}

extension String {
  fileprivate var trimmedSpaces: String {
    String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
