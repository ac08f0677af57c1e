import StratusWire

/// An operation of a request, read as far as it can be before the transaction, since others wait
/// for the end of that.
struct SentOperation: Sendable {
  let operation: RecordOperation
  /// nil: there is more to decide about its fields.
  let plain: PlainFields?
  /// Whether its fields hold more values than a record may; known only if they are plain.
  let exceedsBounds: Bool
  /// The files it names, as far as their names can be read.
  let assetChecksums: [[UInt8]]

  init(_ operation: RecordOperation) {
    self.operation = operation
    let plain = PlainFields(of: operation)
    self.plain = plain
    exceedsBounds = plain.map { $0.exceedsBounds } ?? false
    assetChecksums =
      plain == nil
      ? operation.assetChecksums.compactMap { Asset(fileChecksum: $0, size: 0).checksumBytes } : []
  }
}

/// The fields of a record that keeps nothing of an earlier one, if all there is to decide about
/// them is whether the schema has them so.
struct PlainFields: Sendable {
  let values: RecordDecision.Values
  let text: FieldsJSON

  /// nil: some lead elsewhere, are encrypted or removed, do not say their type, or cannot be read.
  init?(of operation: RecordOperation) {
    switch operation.kind {
    case .create, .replace, .forceReplace: break
    case .update, .forceUpdate, .delete, .forceDelete: return nil
    }
    guard let inputs = try? FieldInput.all(in: operation.fields) else { return nil }
    var values: RecordDecision.Values = []
    values.reserveCapacity(inputs.count)
    for input in inputs {
      guard let value = try? input.decode(schemaType: nil), value.isPlain,
        input.declaredType == value.type.name
      else { return nil }
      values.append((input.name, value))
    }
    self.values = values
    text = FieldsJSON(values)
  }
}

extension PlainFields {
  fileprivate var exceedsBounds: Bool {
    do throws(ServerError) {
      try RecordBounds.check(values.lazy.map { (key: $0.key, value: Optional($0.value)) })
      return false
    } catch {
      return true
    }
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
