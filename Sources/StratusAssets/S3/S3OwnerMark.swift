import Foundation
import StratusDomain
import StratusWire

/// The object `PREFIX/stratus-owner`, which names the installation to which the files with the same
/// prefix belong.
struct S3OwnerMark: AssetOwnerMark {
  private static let bytesMax = 256

  let bucket: S3Bucket

  var place: String { bucket.client.location.shown }
  private var key: String { bucket.client.location.key("stratus-owner") }

  func ownerID() async throws(ServerError) -> String? {
    guard let got = try await bucket.get(key, at: 0, count: Self.bytesMax) else { return nil }
    return String(decoding: got.bytes, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  func write(_ id: String, replaces: Bool) async throws(ServerError) {
    let bytes = Array((id + "\n").utf8)
    if replaces {
      try await bucket.put(key, bytes)
    } else {
      try await bucket.create(key, bytes)
    }
  }
}
