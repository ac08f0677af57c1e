import StratusWire

/// The rules for names.
enum Naming {
  /// - Throws: `BAD_REQUEST` unless the name has 1 … 255 characters (as `NSString` counts), does
  ///   not start with an underscore, and has no control characters.
  ///
  /// `Choice:` Apple's pages demand ASCII, but Apple's header allows "most UTF-8". UTF-8 is
  /// accepted.
  static func checkRecordName(_ name: String) throws(ServerError) {
    try check(name, what: "recordName", lengthMax: Limits.nameLengthMax)
  }

  /// - Throws: `BAD_REQUEST` unless the name follows the same rules as a record name, or is that of
  ///   the default zone.
  static func checkZoneName(_ name: String) throws(ServerError) {
    if name == ZoneID.defaultZoneName { return }
    try check(name, what: "zoneName", lengthMax: Limits.nameLengthMax)
  }

  /// - Throws: `BAD_REQUEST` unless the ID has 1 … 255 characters and no control characters.
  ///
  /// `Choice:` Apple's pages only say that the ID must not be empty. The maximum length is that of
  /// names, and the ID may start with an underscore.
  static func checkSubscriptionID(_ id: String) throws(ServerError) {
    if id.isEmpty { throw .badRequest("subscriptionID must not be empty") }
    if id.utf16.count > Limits.nameLengthMax {
      throw .badRequest("subscriptionID is longer than \(Limits.nameLengthMax) characters")
    }
    if id.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      throw .badRequest("subscriptionID must not contain control characters")
    }
  }

  private static func check(
    _ name: String, what: String, lengthMax: Int
  ) throws(ServerError) {
    if name.isEmpty { throw .badRequest("\(what) must not be empty") }
    if name.utf16.count > lengthMax {
      throw .badRequest("\(what) is longer than \(lengthMax) characters")
    }
    if name.utf8.first == UInt8(ascii: "_") {
      throw .badRequest("\(what) '\(name)' must not start with an underscore")
    }
    if name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      throw .badRequest("\(what) must not contain control characters")
    }
  }

  /// - Throws: `BAD_REQUEST` unless the name is a letter, followed by letters, digits and
  ///   underscores, and is not too long.
  static func checkRecordType(_ name: String) throws(ServerError) {
    guard isIdentifier(name), name.utf8.count <= Limits.recordTypeLengthMax else {
      throw .badRequest("Invalid recordType '\(name.prefix(64))'")
    }
  }

  /// - Throws: `BAD_REQUEST` unless the name is a letter, followed by letters, digits and
  ///   underscores, and is not too long.
  static func checkFieldName(_ name: String) throws(ServerError) {
    guard isIdentifier(name), name.utf8.count <= Limits.fieldNameLengthMax else {
      throw .badRequest("Invalid field name '\(name.prefix(64))'")
    }
  }

  static func isIdentifier(_ name: String) -> Bool { isIdentifier(name.utf8) }

  static func isIdentifier(_ name: some Collection<UInt8>) -> Bool {
    guard let first = name.first, isLetter(first) else { return false }
    return name.allSatisfy {
      isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
