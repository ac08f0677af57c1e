extension SealedEnvelope {
  /// Joins the parts of a sealed value.
  public static func bytes(
    keyID: [UInt8], nonce: [UInt8], ciphertext: [UInt8], tag: [UInt8]
  ) -> [UInt8] {
    [version] + keyID + nonce + ciphertext + tag
  }

  /// Returns the ID of the zone key that sealed a value, or nil if the bytes are malformed.
  public static func keyID(of bytes: [UInt8]) -> [UInt8]? {
    isWellFormed(bytes) ? Array(bytes[1...keyIDLength]) : nil
  }

  /// Returns the nonce, ciphertext and tag in one slice, or nil if the bytes are malformed.
  public static func box(of bytes: [UInt8]) -> ArraySlice<UInt8>? {
    isWellFormed(bytes) ? bytes[(1 + keyIDLength)...] : nil
  }
}

extension FieldValue {
  /// The JSON of the value without its type. This JSON is the plaintext of an encrypted value.
  ///
  /// A time with a fraction of a millisecond becomes an object with `value` and
  /// `referenceSeconds`, and so does a list that contains such a time.
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

  /// Reads the JSON that ``valueJSON`` wrote.
  ///
  /// - Throws: ``WireError`` if the JSON is not a value of the given type.
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
  /// Returns a copy of a record's `fields` in which the given fields are replaced or added. A field
  /// with the value nil is removed.
  ///
  /// - Throws: ``WireError`` if this value is not a JSON object.
  public func replacing(
    _ fields: [(key: String, value: FieldValue?)]
  ) throws(WireError) -> JSONView {
    try JSONView(parsing: FieldsJSON(text: Array(text)).merging(fields).text)
  }
}
