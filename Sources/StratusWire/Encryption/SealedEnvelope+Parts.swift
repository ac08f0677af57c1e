extension SealedEnvelope {
  /// Puts the parts of a sealed value together.
  public static func bytes(
    keyID: [UInt8], nonce: [UInt8], ciphertext: [UInt8], tag: [UInt8]
  ) -> [UInt8] {
    [version] + keyID + nonce + ciphertext + tag
  }

  /// The ID of the zone key that sealed a value; nil if the bytes have not the form.
  public static func keyID(of bytes: [UInt8]) -> [UInt8]? {
    isWellFormed(bytes) ? Array(bytes[1...keyIDLength]) : nil
  }

  /// Nonce, ciphertext and tag, one after the other; nil if the bytes have not the form.
  public static func box(of bytes: [UInt8]) -> ArraySlice<UInt8>? {
    isWellFormed(bytes) ? bytes[(1 + keyIDLength)...] : nil
  }
}

extension FieldValue {
  /// The value's JSON alone, without its type: what is sealed of an encrypted one.
  ///
  /// Times that are no whole numbers of milliseconds are an object with `value` and
  /// `referenceSeconds`.
  public var valueJSON: [UInt8] {
    var writer = JSONWriter(reserving: 64)
    guard hasReferenceSeconds else {
      writeValue(to: &writer, numbersAsStrings: false)
      return writer.bytes
    }
    writer.object { writer in
      writer.key("value")
      writeValue(to: &writer, numbersAsStrings: false)
      writeReferenceSeconds(to: &writer, numbersAsStrings: false)
    }
    return writer.bytes
  }

  /// Reads what ``valueJSON`` wrote.
  ///
  /// - Throws: ``WireError`` if it is no value of that type.
  public init(valueJSON json: JSONView, type: FieldType) throws(WireError) {
    guard type.element == .timestamp, let value = json["value"] else {
      self = try FieldValue(json: json, type: type)
      return
    }
    self = try FieldValue(json: value, type: type)
      .withReferenceSeconds(json[Timestamp.key])
  }
}

extension JSONView {
  /// A record's `fields` with some in place of those of the same names, or added.
  ///
  /// - Throws: ``WireError`` if this is no JSON object.
  public func replacing(
    _ fields: [(key: String, value: FieldValue?)]
  ) throws(WireError) -> JSONView {
    try JSONView(parsing: FieldsJSON(text: Array(text)).merging(fields).text)
  }
}
