import Crypto
import StratusDomain
import Synchronization

/// The stored state of an unfinished upload. It is one object, so a write replaces it completely.
///
/// The object contains these lines, an empty line, and the bytes that are in no part yet:
///
///     writer <random name>
///     multipart <key> <ID>
///     part <tag> <size>
///     tail <size>
struct S3UploadState: Sendable {
  /// A multipart upload.
  struct Multipart: Sendable, Hashable {
    var key: String
    var id: String
  }

  /// The random name of the writer that stored this state.
  var writer: String
  var multipart: Multipart?
  var parts: [S3Bucket.Part] = []
  var tailBytes = 0

  var received: Int64 { parts.reduce(Int64(tailBytes)) { $0 + $1.size } }

  /// The maximum size of the text. An upload of 16 GiB has 2,048 parts.
  static let headBytesMax = 1_048_576

  /// Returns the bytes of the object.
  func bytes(tail: [UInt8]) -> [UInt8] {
    var lines = ["writer \(writer)"]
    if let multipart { lines.append("multipart \(multipart.key) \(multipart.id)") }
    lines += parts.map { "part \($0.tag) \($0.size)" }
    lines += ["tail \(tail.count)", "", ""]
    return Array(lines.joined(separator: "\n").utf8) + tail
  }

  /// Returns the state and the index of the tail's first byte, or nil if the bytes are no state.
  static func read(_ bytes: [UInt8]) -> (state: S3UploadState, tail: Int)? {
    let newline = UInt8(ascii: "\n")
    var (writer, tailBytes): (String?, Int?) = (nil, nil)
    var (multipart, parts): (Multipart?, [S3Bucket.Part]) = (nil, [])
    var start = 0
    while let end = bytes[start...].firstIndex(of: newline) {
      if end == start {
        guard let writer, let tailBytes else { return nil }
        let state = S3UploadState(
          writer: writer, multipart: multipart, parts: parts, tailBytes: tailBytes)
        return (state, end + 1)
      }
      let line = String(decoding: bytes[start..<end], as: UTF8.self)
      let words = line.split(separator: " ").map(String.init)
      start = end + 1
      switch (words.first, words.count) {
      case ("writer", 2): writer = words[1]
      case ("multipart", 3): multipart = Multipart(key: words[1], id: words[2])
      case ("part", 3):
        guard let size = Int64(words[2]), size > 0 else { return nil }
        parts.append(S3Bucket.Part(tag: words[1], size: size))
      case ("tail", 2):
        guard let count = Int(words[1]), count >= 0 else { return nil }
        tailBytes = count
      case _: return nil
      }
    }
    return nil
  }
}

/// Counts the bytes that all uploads keep in memory until a part is complete.
final class S3Memory: Sendable {
  private let used = Atomic<Int>(0)
  private let bytesMax: Int

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// Counts more bytes. Returns false, and counts nothing, if there would be too many bytes.
  func take(_ count: Int) -> Bool {
    let before = used.add(count, ordering: .relaxed).oldValue
    if before + count <= bytesMax { return true }
    used.subtract(count, ordering: .relaxed)
    return false
  }

  func give(_ count: Int) { used.subtract(count, ordering: .relaxed) }
}

/// The bytes of one upload that are in memory, and its stored parts. The value moves from the
/// earlier owner of an upload to the later one.
struct S3Carried: Sendable {
  /// The random name under which this process stores the state.
  var writer: String
  var multipart: S3UploadState.Multipart?
  var parts: [S3Bucket.Part] = []
  /// The bytes after the last part.
  var buffer: [UInt8] = []
  /// The checksum of all received bytes, or nil if another process received some of them.
  var hash: SHA256? = SHA256()
  var received: Int64 = 0
  /// Whether S3 has a stored state of the upload.
  var isStored = false
}
