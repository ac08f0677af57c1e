import StratusWire

/// The value with which a filter compares a field: a scalar of the field's kind, or a fraction.
enum Comparand {
  case scalar(Scalar)
  /// A number that equals no Int64: a fraction, or a value outside the range of Int64. It is
  /// compared with whole numbers.
  case fraction(Double)
}

struct ComparandReader {
  let recordType: String
  /// The field's key, as the caller sent it.
  let name: String
  /// The type of the field, or the type of its elements if it is a list.
  let element: FieldType.Element
  /// The system field, or nil for a field of the app.
  let system: SystemField?
  let caller: String?

  /// Reads one value.
  ///
  /// - Throws: `BAD_REQUEST`, which names the field.
  func one(_ input: FieldInput) throws(ServerError) -> Comparand {
    try requireValue(input, isList: false)
    let declared = input.declaredType.flatMap { FieldType(name: $0) }
    guard accepts(input.declaredType, isList: false), !input.isEncrypted else {
      throw refusal(isList: false)
    }
    return try read(input, declared: declared?.element)
  }

  /// Reads a list of values.
  ///
  /// - Throws: `BAD_REQUEST`, which names the field unless the list has too many values.
  func many(_ input: FieldInput) throws(ServerError) -> [Comparand] {
    try requireValue(input, isList: true)
    guard accepts(input.declaredType, isList: true), !input.isEncrypted else {
      throw refusal(isList: true)
    }
    let declared = input.declaredType.flatMap { FieldType(name: $0) }?.element
    var elements = [declared ?? element]
    if declared == nil, element == .int64 { elements.append(.double) }
    if declared == nil, element == .reference, system != nil { elements.append(.string) }
    for element in elements {
      guard
        let value = try? input.value(as: FieldType(element, isList: true)),
        case .list(_, let members) = value
      else { continue }
      guard members.count <= Limits.queryValuesMax else {
        throw .badRequest(Reason.queryValuesTooMany)
      }
      return try members.map { member throws(ServerError) in try comparand(member) }
    }
    throw refusal(isList: true)
  }

  private func requireValue(_ input: FieldInput, isList: Bool) throws(ServerError) {
    if input.isCleared {
      throw .badRequest("Field '\(name)' in type '\(recordType)': a filter needs a value")
    }
    if input.isList == isList { return }
    let type = FieldType(element, isList: isList).name
    throw .badRequest(
      "Field '\(name)' in type '\(recordType)': Invalid value, expected type \(type)"
        + (isList ? "." : " but actual value was a list"))
  }

  private func refusal(isList: Bool) -> ServerError {
    let type = FieldType(element, isList: isList).name
    return .badRequest(
      "Field '\(name)' in type '\(recordType)': Invalid value, expected type \(type).")
  }

  private func accepts(_ declared: String?, isList: Bool) -> Bool {
    guard let declared else { return true }
    guard let type = FieldType(name: declared) else {
      return isList && ["LIST", "UNKNOWN_LIST"].contains(declared)
    }
    if type.isList != isList { return false }
    return switch element {
    case .string: type.element == .string
    case .int64, .double: type.element == .int64 || type.element == .double
    case .timestamp: type.element == .timestamp || type.element == .int64
    case .reference: type.element == .reference || (system != nil && type.element == .string)
    case .location: type.element == .location
    case .bytes, .asset: false
    }
  }

  private func read(
    _ input: FieldInput, declared: FieldType.Element?
  ) throws(ServerError) -> Comparand {
    var elements = [declared ?? element]
    if declared == nil, element == .int64 { elements.append(.double) }
    if declared == nil, system != nil, element == .reference { elements.append(.string) }
    for element in elements {
      if let value = try? input.value(as: FieldType(element)) { return try comparand(value) }
    }
    throw refusal(isList: false)
  }

  /// Converts a value of an accepted type into the kind that this field compares with.
  private func comparand(_ value: FieldValue) throws(ServerError) -> Comparand {
    guard let scalar = Scalar(value) else { throw refusal(isList: false) }
    switch scalar {
    case .whole(let number):
      return .scalar(element == .double ? .real(normal: Double(number)) : scalar)
    case .real(let number):
      if element == .double { return .scalar(scalar) }
      return Int64(exactly: number).map { .scalar(.whole($0)) } ?? .fraction(number)
    case .text(let bytes): return .scalar(.text(isCaller(bytes) ?? bytes))
    }
  }

  /// Returns the caller's record name if the value is a placeholder for the current user, or else
  /// nil.
  private func isCaller(_ bytes: [UInt8]) -> [UInt8]? {
    guard system == .creator || system == .modifier, let caller,
      Self.placeholders.contains(bytes)
    else { return nil }
    return Array(caller.utf8)
  }

  private static let placeholders = [Array("__defaultOwner__".utf8), Array("_defaultOwner".utf8)]
}
