public import StratusWire

/// An entry of the request log, written as JSON.
///
/// NB: the log keeps its entries in this form. A ``RequestEntry`` would keep the texts of its
/// request in memory, so that further requests would have to use memory that no longer is in the
/// processor's caches.
public struct WrittenEntry: Sendable {
  /// The time of the request, in milliseconds since 1970 UTC.
  public private(set) var time: Int64
  /// The text, without a line feed.
  public private(set) var json: [UInt8] = []

  /// The number of bytes of most texts. The memory for them is allocated at once.
  private static let usualBytes = 512
  /// The maximum number of bytes of memory that is used again. Long texts are rare.
  private static let keptBytesMax = 2_048

  public init(_ entry: RequestEntry) {
    time = entry.time
    json = entry.jsonBytes
  }

  /// - Parameter writer: is only used meanwhile, so that many entries can use its memory.
  init(_ entry: RequestEntry, _ writer: inout JSONWriter) {
    time = entry.time
    json.reserveCapacity(Self.usualBytes)
    replace(by: entry, &writer)
  }

  /// Replaces the entry by another one, in the same memory.
  mutating func replace(by entry: RequestEntry, _ writer: inout JSONWriter) {
    writer.removeAll()
    entry.write(to: &writer)
    time = entry.time
    json.removeAll(keepingCapacity: json.capacity <= Self.keptBytesMax)
    json.append(contentsOf: writer.bytes)
  }

  /// The entry. It is nil only if the text has been damaged.
  public var entry: RequestEntry? { try? RequestEntry(jsonBytes: json) }
}
