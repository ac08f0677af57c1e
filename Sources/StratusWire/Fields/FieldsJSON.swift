/// The fields of a record as JSON text, in the form that the server sends.
///
/// The server stores and forwards this text. The text is decoded only if a decision, an answer or
/// an app needs a value.
public struct FieldsJSON: Sendable, Hashable {
  /// A JSON object. Each field name is a key with the value `{"value": …, "type": …}`.
  public let text: [UInt8]

  /// The JSON text of a record without fields.
  public static let empty = FieldsJSON(text: [UInt8(ascii: "{"), UInt8(ascii: "}")])

  /// Wraps a text that is known to be valid.
  public init(text: [UInt8]) { self.text = text }

  /// Creates the text of the given values, in their order.
  public init(_ values: some Sequence<(key: String, value: FieldValue)>) {
    self.init(Array(values))
  }

  /// Creates the text of the given values, in their order.
  ///
  /// NB: this initializer is not generic, because generic code is slow when another module calls
  /// it.
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

  /// Decodes the values in the order of the text.
  public func values() throws(WireError) -> [(key: String, value: FieldValue)] {
    var result: [(key: String, value: FieldValue)] = []
    for member in try JSONView(parsing: text).members {
      result.append((member.key, try FieldValue(storedField: member.value)))
    }
    return result
  }

  /// Decodes the values of the fields with these names. Other values are not decoded.
  public func values(of keys: Set<String>) throws(WireError) -> [String: FieldValue] {
    var result: [String: FieldValue] = [:]
    if keys.isEmpty { return result }
    for member in try JSONView(parsing: text).members {
      let key = member.key
      if keys.contains(key) { result[key] = try FieldValue(storedField: member.value) }
    }
    return result
  }

  /// Returns the size of the names and values in bytes, without the JSON syntax.
  ///
  /// Choice: a number or a time counts as 8 bytes, and a location as 64. Apple does not document
  /// the sizes.
  public func payloadSizeBytes() throws(WireError) -> Int {
    try values().reduce(0) { $0 + $1.key.utf8.count + $1.value.sizeBytes }
  }

  /// Returns a copy of the fields with some changes. A change with a value replaces or adds its
  /// field, and a change with nil removes its field. Other fields stay unchanged, byte for byte.
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

  /// Returns only the requested fields, with their numbers as JSON numbers or as JSON strings.
  ///
  /// - Parameter desiredKeys: the names of the requested fields. nil means all fields.
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
        // NB: a field without numbers stays unchanged, byte for byte.
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
