/// The context of a trace, as a caller sends it (W3C Trace Context, the field `traceparent`).
struct TraceContext: Sendable, Hashable {
  /// 32 hexadecimal digits.
  var traceID: String
  /// The ID of the caller's span: 16 hexadecimal digits.
  var spanID: String
  /// Whether the caller records the trace.
  var isSampled: Bool

  init(traceID: String, spanID: String, isSampled: Bool) {
    self.traceID = traceID
    self.spanID = spanID
    self.isSampled = isSampled
  }

  /// Reads a field such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
  ///
  /// - Returns: nil if there is no field, or if it is malformed. The standard requires that such a
  ///   field is ignored.
  init?(_ field: String?) {
    guard let parts = field?.split(separator: "-", omittingEmptySubsequences: false),
      parts.count >= 4, Self.isHex(parts[0], 2), parts[0] != "ff",
      parts[0] != "00" || parts.count == 4,
      Self.isHex(parts[1], 32), Self.isHex(parts[2], 16), Self.isHex(parts[3], 2),
      parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" }),
      let flags = UInt8(parts[3], radix: 16)
    else { return nil }
    self.init(traceID: String(parts[1]), spanID: String(parts[2]), isSampled: flags & 1 == 1)
  }

  /// The header field for requests that belong to the same trace.
  var field: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

  /// Whether a text has this number of lower-case hexadecimal digits.
  private static func isHex(_ text: Substring, _ count: Int) -> Bool {
    text.utf8.count == count
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
      }
  }
}
