/// A note that is stored beside an upload and says how far the upload is. With the note, the server
/// can answer the repeated request of a client that did not get the first answer.
enum UploadNote: Sendable, Hashable {
  /// The last piece is being sent. After this piece, the upload has `total` bytes.
  ///
  /// NB: without this note, an upload that a crash interrupts after its last byte could never be
  /// finished, since no piece is left to send.
  case last(total: Int64)
  /// The upload has become this file.
  case done(WholeFile)

  var bytes: [UInt8] {
    var packed = PackedBytes()
    switch self {
    case .last(let total):
      packed.add(UInt8(1))
      packed.add(total)
    case .done(let file):
      packed.add(UInt8(2))
      packed.add(file.size)
      packed.add(file.checksum)
    }
    return packed.bytes
  }

  /// Returns nil if the bytes are not a note, for example after a power failure.
  init?(bytes: [UInt8]) {
    var packed = PackedReader(bytes[...])
    switch packed.byte() {
    case 1:
      guard let total = packed.int64() else { return nil }
      self = .last(total: total)
    case 2:
      guard let size = packed.int64(), let checksum = packed.data(), checksum.count == 32 else {
        return nil
      }
      self = .done(WholeFile(checksum: checksum, size: size))
    case _: return nil
    }
  }
}
