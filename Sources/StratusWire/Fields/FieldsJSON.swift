/// The fields of a record as JSON text, just as they stand in an answer.
///
/// Stored and sent as they are; decoded only where a decision or an app needs a value.
public struct FieldsJSON: Sendable, Hashable {
  /// A JSON object: field name → `{"value": …, "type": …}`.
  public let text: [UInt8]

  /// No fields.
  public static let empty = FieldsJSON(text: [UInt8(ascii: "{"), UInt8(ascii: "}")])

  /// Wraps text that is known to be of this form.
  public init(text: [UInt8]) { self.text = text }

  /// Writes values in the given order.
  public init(_ values: some Sequence<(key: String, value: FieldValue)>) {
    self.init(Array(values))
  }

  /// Writes values in the given order.
  ///
  /// NB: not generic, since generic code is slow when it is called from another module.
  public init(_ values: [(key: String, value: FieldValue)]) {
    var writer = JSONWriter(reserving: 512)
    writer.object { writer in
      for (key, value) in values {
        writer.key(key)
        value.writeField(to: &writer)
      }
    }
    text = writer.bytes
  }

  /// The values in the order of the text.
  public func values() throws(WireError) -> [(key: String, value: FieldValue)] {
    var result: [(key: String, value: FieldValue)] = []
    for member in try JSONView(parsing: text).members {
      result.append((member.key, try FieldValue(storedField: member.value)))
    }
    return result
  }

  /// The values of some fields, by name; the others are not looked at.
  public func values(of keys: Set<String>) throws(WireError) -> [String: FieldValue] {
    var result: [String: FieldValue] = [:]
    if keys.isEmpty { return result }
    for member in try JSONView(parsing: text).members {
      let key = member.key
      if keys.contains(key) { result[key] = try FieldValue(storedField: member.value) }
    }
    return result
  }

  /// Bytes of the names and values themselves, without what JSON makes of them.
  ///
  /// Choice: a number or time counts 8 bytes, a place 64; Apple does not say.
  public func payloadSizeBytes() throws(WireError) -> Int {
    try values().reduce(0) { $0 + $1.key.utf8.count + $1.value.sizeBytes }
  }

  /// These fields with some replaced, added, or (nil) removed; the others stay byte for byte.
  public func merging(
    _ changes: [(key: String, value: FieldValue?)]
  ) throws(WireError) -> FieldsJSON {
    if changes.isEmpty { return self }
    let view = try JSONView(parsing: text)
    let changed = Set(changes.lazy.map(\.key))
    var writer = JSONWriter(reserving: text.count + 128)
    writer.object { writer in
      for member in view.members {
        let key = member.key
        if changed.contains(key) { continue }
        writer.key(key)
        writer.raw(member.value.text)
      }
      for (key, value) in changes {
        guard let value else { continue }
        writer.key(key)
        value.writeField(to: &writer)
      }
    }
    return FieldsJSON(text: writer.bytes)
  }

  /// Only the fields a caller wants, numbers as it wants them.
  ///
  /// - Parameter desiredKeys: nil: all; empty: none.
  public func presented(
    desiredKeys: Set<String>?, numbersAsStrings: Bool
  ) throws(WireError) -> FieldsJSON {
    if desiredKeys == nil, !numbersAsStrings { return self }
    if let desiredKeys, desiredKeys.isEmpty { return .empty }
    let view = try JSONView(parsing: text)
    var writer = JSONWriter(reserving: text.count)
    var failure: WireError?
    writer.object { writer in
      for member in view.members {
        let key = member.key
        if let desiredKeys, !desiredKeys.contains(key) { continue }
        writer.key(key)
        // NB: what has no number stays as it is, byte for byte.
        guard numbersAsStrings, member.value.hasNumbers else {
          writer.raw(member.value.text)
          continue
        }
        do throws(WireError) {
          try FieldValue(storedField: member.value)
            .writeField(to: &writer, numbersAsStrings: true)
        } catch {
          failure = error
          writer.null()
        }
      }
    }
    if let failure { throw failure }
    return FieldsJSON(text: writer.bytes)
  }
}

extension JSONView {
  /// Whether a stored field is a number or a time, or a list of them.
  fileprivate var hasNumbers: Bool {
    guard let name = self["type"]?.string, let type = FieldType(name: name) else { return true }
    if self["isEncrypted"]?.bool ?? false { return false }
    return switch type.element {
    case .int64, .double, .timestamp: true
    case .string, .bytes, .location, .reference, .asset: false
    }
  }
}
