import StratusWire

/// An operation of a request, decoded as far as possible before the transaction, so that other
/// writers wait less.
struct SentOperation: Sendable {
  let operation: RecordOperation
  /// The decoded fields, or nil if they cannot be decoded before the transaction.
  let plain: PlainFields?
  /// Whether the fields contain more values than a record may have. Only ``plain`` fields are
  /// checked.
  let exceedsBounds: Bool
  /// The checksums of the operation's assets, as far as they can be read.
  let assetChecksums: [[UInt8]]
  /// The users and times of the saved record, if the operation restores an earlier state. Its
  /// assets then need no receipts.
  var restored: RestoredStamps?

  init(_ operation: RecordOperation) {
    self.operation = operation
    let plain = PlainFields(of: operation)
    self.plain = plain
    exceedsBounds = plain?.exceedsBounds ?? false
    assetChecksums =
      plain == nil
      ? operation.assetChecksums.compactMap { Asset(fileChecksum: $0, size: 0).checksumBytes } : []
  }
}

/// The decoded fields of an operation that replaces all fields of its record. In the transaction,
/// they only have to be compared with the schema.
struct PlainFields: Sendable {
  let values: RecordDecision.Values
  let text: FieldsJSON
  /// Whether the fields contain more values than a record may have.
  let exceedsBounds: Bool

  /// Returns nil if some fields contain references or files, are encrypted or removed, have no
  /// type, or cannot be read. Also returns nil if the operation does not replace all fields.
  init?(of operation: RecordOperation) {
    switch operation.kind {
    case .create, .replace, .forceReplace: break
    case .update, .forceUpdate, .delete, .forceDelete: return nil
    }
    guard let inputs = try? FieldInput.all(in: operation.fields) else { return nil }
    var values: RecordDecision.Values = []
    values.reserveCapacity(inputs.count)
    var bounds = RecordBounds()
    for input in inputs {
      guard let value = try? input.decode(schemaType: nil), value.isPlain,
        input.declaredType == value.type.name
      else { return nil }
      bounds.add(value)
      values.append((input.name, value))
    }
    self.values = values
    exceedsBounds = bounds.areExceeded(by: values.lazy.map(\.value))
    text = FieldsJSON(values)
  }
}

extension FieldValue {
  fileprivate var isPlain: Bool {
    switch self {
    case .string, .int64, .double, .timestamp, .bytes, .location: true
    case .reference, .asset, .sealed, .list(.reference, _), .list(.asset, _): false
    case .list: true
    }
  }
}
