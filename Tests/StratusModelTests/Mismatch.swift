import CloudKit

/// A difference between the server and the model.
struct Mismatch: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// - Throws: a mismatch if the condition is false.
  static func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw Mismatch(description()) }
  }
}

extension Result {
  /// The result as it appears in the text of a mismatch.
  var text: String {
    switch self {
    case .success: "success"
    case .failure(let error as CKError): "\(error.code): \(error.localizedDescription)"
    case .failure(let error): "\(error)"
    }
  }

  /// The error's code, or nil for success and for an error that is not CloudKit's.
  var code: CKError.Code? {
    switch self {
    case .success: nil
    case .failure(let error): (error as? CKError)?.code
    }
  }
}

extension CKRecord {
  /// Sets or clears a field.
  func set(_ value: Value?, field: Int) {
    let key = "field\(field)"
    switch value {
    case nil: self[key] = nil
    case .text(let text): self[key] = text
    case .number(let number): self[key] = number
    case .real(let real): self[key] = real
    case .date(let milliseconds):
      self[key] = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    case .bytes(let bytes): self[key] = Data(bytes)
    case .texts(let texts): self[key] = texts
    case .reference(let name):
      self[key] = CKRecord.Reference(recordID: neighbour(name), action: .deleteSelf)
    }
  }

  /// Whether a field has a value.
  func holds(_ value: Value, field: Int) -> Bool {
    let key = "field\(field)"
    return switch value {
    case .text(let text): self[key] == text
    case .number(let number): self[key] == number
    case .real(let real): self[key] == real
    case .date(let milliseconds):
      (self[key] as Date?).map { ($0.timeIntervalSince1970 * 1000).rounded() }
        == Double(milliseconds)
    case .bytes(let bytes): self[key] == Data(bytes)
    case .texts(let texts): self[key] == texts
    case .reference(let name):
      self[key] == CKRecord.Reference(recordID: neighbour(name), action: .deleteSelf)
    }
  }

  /// The ID of another record in the same zone.
  func neighbour(_ name: Int) -> CKRecord.ID {
    CKRecord.ID(recordName: Arena.Place.recordNames[name], zoneID: recordID.zoneID)
  }

  /// Throws a mismatch if the record does not have the given parent.
  func require(parent name: Int?, _ context: String) throws {
    try Mismatch.require(
      parent?.recordID == name.map(neighbour),
      "\(context) has the parent \(parent?.recordID as Any), not \(name.map(neighbour) as Any)")
  }

  /// Throws a mismatch if the record has other fields or pending changes.
  func require(_ fields: [Int: Value], _ context: String) throws {
    let expected = fields.keys.map { "field\($0)" }.sorted()
    try Mismatch.require(
      allKeys().sorted() == expected, "\(context) has the fields \(allKeys()), not \(expected)")
    for (field, value) in fields {
      try Mismatch.require(
        holds(value, field: field),
        "\(context) has \(self["field\(field)"] as Any) as field\(field), not \(value)")
    }
    try Mismatch.require(
      changedKeys().isEmpty, "\(context) has pending changes: \(changedKeys())")
  }
}
