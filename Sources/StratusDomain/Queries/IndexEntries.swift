import StratusWire

extension QueryIndex {
  /// Returns the entries of a record in this index.
  func entries(
    of record: StoredRecord, values: [(key: String, value: FieldValue)]
  ) -> [IndexEntry] {
    var keys: [[UInt8]] = [[]]
    for column in columns {
      let parts = column.parts(of: record, values: values)
      if parts.isEmpty { return [] }
      if parts.count == 1 {
        for location in keys.indices { keys[location].append(contentsOf: parts[0]) }
      } else {
        keys = keys.flatMap { key in parts.map { key + $0 } }
      }
    }
    return keys.map { IndexEntry(index: id, value: $0, record: record.number) }
  }
}

extension [QueryIndex] {
  /// Returns the fields that the entries are built from, or nil if they are built from all fields.
  func fieldsNeeded(in type: RecordType?) -> Set<String>? {
    var names: Set<String> = []
    for index in self {
      for column in index.columns {
        switch column.source {
        case .field(let name): names.insert(name)
        case .searchableFields:
          guard let type else { return nil }
          for (name, field) in type.fields where field.type.isText { names.insert(name) }
        case .system: break
        }
      }
    }
    return names
  }
}

extension IndexColumn {
  /// Returns the column's bytes for a record: one part for a value, or one part for each member,
  /// token or cell.
  func parts(
    of record: StoredRecord, values: [(key: String, value: FieldValue)]
  ) -> [[UInt8]] {
    switch form {
    case .value: return [ColumnBytes.of(scalar(of: record, values: values))]
    case .descendingValue:
      return [ColumnBytes.of(scalar(of: record, values: values)).inverted]
    case .member:
      guard case .list(_, let members) = value(in: values) else { return [] }
      return Array(Set(members.map { ColumnBytes.of(Scalar($0)) }))
    case .earlierToken: return []
    case .token:
      return Array(Set(tokens(in: values).map { ColumnBytes.of(.text($0)) }))
    case .cell:
      switch value(in: values) {
      case .location(let location): return [ColumnBytes.of(cell: Cell.code(of: location))]
      case .list(_, let members):
        return Array(
          Set(members.compactMap(\.location).map { ColumnBytes.of(cell: Cell.code(of: $0)) }))
      case .string, .int64, .double, .timestamp, .bytes, .reference, .asset, .sealed, nil:
        return [ColumnBytes.of(nil)]
      }
    }
  }

  private func scalar(
    of record: StoredRecord, values: [(key: String, value: FieldValue)]
  ) -> Scalar? {
    switch source {
    case .system(let field): record.scalar(field)
    case .field: value(in: values).flatMap { Scalar($0) }
    case .searchableFields: nil
    }
  }

  private func value(in values: [(key: String, value: FieldValue)]) -> FieldValue? {
    guard case .field(let name) = source else { return nil }
    return values.first { $0.key == name }?.value
  }

  /// NB: a column of all searchable fields contains the tokens of all text fields, because a field
  /// can become searchable without a rebuild of the entries. The query tests each record again and
  /// drops the excess matches.
  private func tokens(in values: [(key: String, value: FieldValue)]) -> Set<[UInt8]> {
    var tokens: Set<[UInt8]> = []
    switch source {
    case .field: value(in: values)?.collectTokens(into: &tokens)
    case .searchableFields: for (_, value) in values { value.collectTokens(into: &tokens) }
    case .system: break
    }
    return tokens
  }
}

extension FieldValue {
  var location: Location? { if case .location(let location) = self { location } else { nil } }

  func collectTokens(into tokens: inout Set<[UInt8]>) {
    switch self {
    case .string(let text): Tokens.collect(text, into: &tokens)
    case .list(.string, let members):
      for member in members { member.collectTokens(into: &tokens) }
    case .int64, .double, .timestamp, .bytes, .location, .reference, .asset, .sealed, .list: break
    }
  }
}

extension StoredRecord {
  /// Returns the value by which a system field is compared, or nil if the value is missing.
  func scalar(_ field: SystemField) -> Scalar? {
    switch field {
    case .recordName: .text(Array(name.utf8))
    case .creationDate: .whole(created.timestamp)
    case .creator: .text(Array(created.userRecordName.utf8))
    case .modificationDate: .whole(modified.timestamp)
    case .modifier: .text(Array(modified.userRecordName.utf8))
    case .parent: parentRecordName.map { .text(Array($0.utf8)) }
    case .share: nil
    }
  }
}
