/// A field of a request: a name with an optional type and an optional value.
///
/// The schema decides how to read the value, and only the server knows the schema. The value is
/// therefore decoded in a second step.
public struct FieldInput: Sendable {
  public let name: String
  /// The type that the client named, which may be an alias. nil means that the client named none.
  public let declaredType: String?
  let value: JSONView?
  /// The exact seconds of a time that has a fraction of a millisecond.
  private let referenceSeconds: JSONView?
  /// Whether the client says that the value is encrypted.
  public let isEncrypted: Bool

  /// Whether the request clears the field. The request then contains `{}`, `{"value": null}` or
  /// `null` for the field.
  public var isCleared: Bool { value == nil }

  /// Reads the members of a record's `fields`.
  ///
  /// - Throws: ``WireError`` if a member is not a field dictionary, or (Choice) if two members have
  ///   the same name.
  public static func all(in fields: JSONView?) throws(WireError) -> [FieldInput] {
    guard let fields else { return [] }
    guard fields.isObject else { throw .wrongType("fields", expected: "an object") }
    var inputs: [FieldInput] = []
    inputs.reserveCapacity(comparedNamesMax)
    var names: Set<String> = []
    for member in fields.members {
      let name = member.key
      let field = member.value
      // NB: a record usually has few fields, and comparing few names is faster than hashing them.
      if inputs.count == comparedNamesMax { names = Set(inputs.map(\.name)) }
      let isNew =
        inputs.count < comparedNamesMax
        ? !inputs.contains { $0.name == name } : names.insert(name).inserted
      guard isNew else { throw WireError("Field '\(name)' appears twice in one record") }
      guard field.isObject || field.isNull else {
        throw WireError("Field '\(name)' must be an object with 'value' and 'type'")
      }
      inputs.append(try FieldInput(name: name, dictionary: field))
    }
    return inputs
  }

  /// The number of names that are compared with each other instead of being hashed.
  private static let comparedNamesMax = 16

  /// Decodes the value with the type that the field has in the schema. If the schema does not have
  /// the field, decodes the value with the type that the client named. If the client named none,
  /// the JSON form of the value suggests the type. Returns nil if the field is cleared.
  ///
  /// Choice: an empty list whose type is not known counts as no value, because the list cannot
  /// define the type of a new field. Clients of the CloudKit framework send empty lists.
  /// - Throws: ``WireError`` if the value does not have that type, if the client named another
  ///   type, or if no type can be found for the value.
  public func decode(schemaType: FieldType?) throws(WireError) -> FieldValue? {
    guard let value else { return nil }
    if isEncrypted { return try decodeSealed(value, schemaType: schemaType) }
    if let schemaType {
      if schemaType.isEncrypted {
        throw WireError(
          "invalid attempt to set value type \(declaredType ?? "UNKNOWN") for field '\(name)', "
            + "defined to be: \(schemaType.schemaName)")
      }
      try requireAgreement(with: schemaType, value: value)
      return try exact(FieldValue(json: value, type: schemaType))
    }
    if let declaredType, let type = FieldType(name: declaredType) {
      return try exact(FieldValue(json: value, type: type))
    }
    if let declaredType, !["LIST", "UNKNOWN_LIST"].contains(declaredType) {
      throw WireError("Field '\(name)' has the unsupported type '\(declaredType)'")
    }
    if value.isArray, value.elements.isEmpty { return nil }
    guard let type = Self.suggestedType(of: value) else {
      throw WireError("The type of field '\(name)' cannot be told from its value; send 'type'")
    }
    return try FieldValue(json: value, type: type)
  }

  /// Returns a time with the exact seconds of the request, and any other value unchanged.
  private func exact(_ value: FieldValue) -> FieldValue {
    referenceSeconds.map(value.withReferenceSeconds) ?? value
  }

  /// Reads the value as the given type and ignores the client's type. Returns nil if there is no
  /// value.
  ///
  /// - Throws: ``WireError`` if the value does not have that type.
  public func value(as type: FieldType) throws(WireError) -> FieldValue? {
    guard let value else { return nil }
    return try FieldValue(json: value, type: type)
  }

  /// Decodes an encrypted value. The field must name its type, as in Apple's service. The value
  /// must be sealed. A plain value that is declared as encrypted is refused.
  private func decodeSealed(
    _ value: JSONView, schemaType: FieldType?
  ) throws(WireError) -> FieldValue {
    // The client may write the plain type name (`STRING`) or the schema's name
    // (`ENCRYPTED_STRING`).
    guard let declaredType, let plain = FieldType(schemaName: declaredType) else {
      throw WireError("Field '\(name)' is encrypted and must name its 'type'")
    }
    guard plain.element != .asset, plain.element != .reference else {
      throw WireError("Field '\(name)' has type \(plain.name), which cannot be encrypted")
    }
    let type = FieldType(plain.element, isList: plain.isList, isEncrypted: true)
    if let schemaType, schemaType != type {
      guard schemaType.isEncrypted else {
        throw WireError("Attempt to save encrypted data in non encrypted field type")
      }
      throw WireError(
        "invalid attempt to set value type \(type.schemaName) for field '\(name)', "
          + "defined to be: \(schemaType.schemaName)")
    }
    let sealed = try FieldValue(json: value, type: type)
    guard case .sealed(_, let bytes) = sealed, SealedEnvelope.isWellFormed(bytes) else {
      throw WireError("Field '\(name)': encrypted values are sealed on the device")
    }
    return sealed
  }

  private func requireAgreement(
    with schemaType: FieldType, value: JSONView
  ) throws(WireError) {
    guard let declaredType, declaredType != schemaType.name else { return }
    if schemaType.isList, declaredType == "LIST" || declaredType == "UNKNOWN_LIST" { return }
    if let type = FieldType(name: declaredType) {
      if type == schemaType { return }
      // NB: clients of the CloudKit framework may save a whole number into a DOUBLE field. INT64 is
      // therefore accepted for DOUBLE, unless the number would lose digits.
      let isWiderNumber = type.element == .int64 && schemaType.element == .double
      if isWiderNumber, type.isList == schemaType.isList, value.fitsRealNumbers { return }
    }
    throw WireError(
      "invalid attempt to set value type \(declaredType) for field '\(name)', "
        + "defined to be: \(schemaType.name)")
  }

  private static func suggestedType(of value: JSONView) -> FieldType? {
    if value.isString { return FieldType(.string) }
    if value.isNumber {
      return FieldType(value.int64 != nil && !value.text.contains(0x2E) ? .int64 : .double)
    }
    if value.isObject {
      if value["latitude"] != nil { return FieldType(.location) }
      if value["fileChecksum"] != nil || value["receipt"] != nil { return FieldType(.asset) }
      if value["recordName"] != nil { return FieldType(.reference) }
      return nil
    }
    if value.isArray {
      return suggestedListType(of: value)
    }
    return value.bool == nil ? nil : FieldType(.int64)
  }

  /// Returns the type of a list: its elements have the first element's type. If the first element
  /// is an integer and a later one is a DOUBLE, the elements have the type DOUBLE. Returns nil if
  /// an element has no clear type.
  private static func suggestedListType(of value: JSONView) -> FieldType? {
    var found: FieldType?
    for element in value.elements {
      guard let type = suggestedType(of: element.value), !type.isList else { return nil }
      if found == nil || (found?.element == .int64 && type.element == .double) { found = type }
    }
    return found.map { FieldType($0.element, isList: true) }
  }
}

extension FieldInput: Hashable, JSONWritable {
  /// Creates a field for a request.
  public init(_ value: FieldValue, name: String = "") {
    var writer = JSONWriter(reserving: 128)
    value.writeField(to: &writer)
    let view = try? JSONView(parsing: writer.bytes)
    self.name = name
    declaredType = value.type.name
    self.value = view?["value"]
    referenceSeconds = view?[Timestamp.key]
    isEncrypted = value.type.isEncrypted
  }

  /// Reads a single field dictionary.
  public init(field json: JSONView, name: String) throws(WireError) {
    guard json.isObject else { throw .wrongType("fieldValue", expected: "an object") }
    try self.init(name: name, dictionary: json)
  }

  private init(name: String, dictionary: JSONView) throws(WireError) {
    let (value, type, isEncrypted) = dictionary.values("value", "type", "isEncrypted")
    if let type, !type.isString { throw .wrongType("type", expected: "a string") }
    self.name = name
    declaredType = type?.string
    self.value = value
    // NB: only TIMESTAMP fields have this key. To save work, other fields are not searched for it.
    let isTime = declaredType?.hasPrefix(FieldType.Element.timestamp.rawValue) ?? false
    referenceSeconds = isTime ? dictionary[Timestamp.key] : nil
    self.isEncrypted = isEncrypted?.bool ?? false
  }

  /// Whether the value is a list.
  public var isList: Bool { value?.isArray ?? false }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if let value {
        writer.key("value")
        writer.raw(value.text)
      }
      writer.member("type", declaredType)
      if let referenceSeconds {
        writer.key(Timestamp.key)
        writer.raw(referenceSeconds.text)
      }
      if isEncrypted { writer.member("isEncrypted", true) }
    }
  }

  public static func == (left: FieldInput, right: FieldInput) -> Bool {
    left.name == right.name && left.declaredType == right.declaredType
      && left.isEncrypted == right.isEncrypted
      && left.value.hasSameText(as: right.value)
      && left.referenceSeconds.hasSameText(as: right.referenceSeconds)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(declaredType)
  }
}

extension JSONView? {
  fileprivate func hasSameText(as other: JSONView?) -> Bool {
    self?.text.elementsEqual(other?.text ?? []) ?? (other == nil)
  }
}

extension JSONView {
  /// Whether a `Double` represents this whole number, or every number of this list, without loss.
  fileprivate var fitsRealNumbers: Bool {
    if isArray { return elements.allSatisfy(\.value.fitsRealNumbers) }
    return int64.flatMap { Double(exactly: $0) } != nil
  }
}
