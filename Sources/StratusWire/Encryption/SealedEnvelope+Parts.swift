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
  public var valueJSON: [UInt8] {
    var writer = JSONWriter(reserving: 64)
    writeValue(to: &writer, numbersAsStrings: false)
    return writer.bytes
  }
}

extension FieldsJSON {
  /// Whether a value may be sealed: false is certain, true is not.
  ///
  /// A look at the text alone, since most records hold none and are not read for it.
  public var mayHoldSealedValues: Bool {
    let word = Array("\"isEncrypted\"".utf8)
    guard text.count >= word.count, let first = word.first else { return false }
    return text.withUnsafeBufferPointer { text in
      var start = 0
      while start <= text.count - word.count {
        // NB: most bytes are no quotation marks, and are passed by in this inner loop.
        guard let place = text[start...].firstIndex(of: first) else { return false }
        if text[place...].starts(with: word) { return true }
        start = place + 1
      }
      return false
    }
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
