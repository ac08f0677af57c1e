import Crypto
import Foundation
import StratusDomain
import Synchronization

/// The stored state of an unfinished upload. It is one object, so a write replaces it completely.
///
/// The object has the size of the JSON in four bytes, the JSON, and the bytes that are in no part
/// yet.
struct S3UploadState: Codable, Sendable {
  /// A multipart upload.
  struct Multipart: Codable, Sendable, Hashable {
    var key: String
    var id: String
  }

  /// The random name of the writer that stored this state.
  var writer: String
  var multipart: Multipart?
  var parts: [S3Bucket.Part] = []
  var tailBytes = 0

  var received: Int64 { parts.reduce(Int64(tailBytes)) { $0 + $1.size } }

  /// The number of bytes before the tail is at most this. An upload of 16 GiB has 2,048 parts.
  static let headBytesMax = 1_048_576

  func bytes(tail: [UInt8]) throws(ServerError) -> [UInt8] {
    var state = self
    state.tailBytes = tail.count
    guard let json = try? JSONEncoder().encode(state), json.count < Self.headBytesMax else {
      throw .fault("the state of an upload cannot be stored")
    }
    return (0..<4).map { UInt8(truncatingIfNeeded: json.count >> (24 - 8 * $0)) } + json + tail
  }

  /// Returns the state and the position of the tail, or nil if the bytes are no state.
  static func read(_ bytes: [UInt8]) -> (state: S3UploadState, tail: Int)? {
    guard bytes.count >= 4 else { return nil }
    let end = 4 + bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    guard end <= bytes.count,
      let state = try? JSONDecoder().decode(S3UploadState.self, from: Data(bytes[4..<end]))
    else { return nil }
    return (state, end)
  }
}

/// The bytes of all uploads that wait in memory until a part is complete.
final class S3Memory: Sendable {
  private let used = Atomic<Int>(0)
  private let bytesMax: Int

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// Counts more bytes, unless there are too many.
  func take(_ count: Int) -> Bool {
    let before = used.add(count, ordering: .relaxed).oldValue
    if before + count <= bytesMax { return true }
    used.subtract(count, ordering: .relaxed)
    return false
  }

  func give(_ count: Int) { used.subtract(count, ordering: .relaxed) }
}

/// The bytes of one upload that wait in memory, and what is known of its parts. The object moves
/// from the earlier owner of an upload to the later one.
struct S3Carried: Sendable {
  /// The random name under which this process stores the state.
  var writer = S3Carried.randomName()
  var multipart: S3UploadState.Multipart?
  var parts: [S3Bucket.Part] = []
  /// The bytes after the last part.
  var buffer: [UInt8] = []
  /// The checksum of all received bytes, or nil if this process has not seen the parts.
  var hash: SHA256? = SHA256()
  var received: Int64 = 0
  /// Whether S3 has a stored state of the upload.
  var isStored = false

  /// Returns 16 random hex digits.
  static func randomName() -> String {
    String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
  }
}
