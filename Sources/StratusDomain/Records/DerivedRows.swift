public import StratusWire

/// The rows that the store keeps for a record besides the record itself. They are computed from the
/// record and the schema alone, so the rows of an earlier state need not be looked up in the store.
public struct DerivedRows: Sendable, Hashable {
  /// The record's entries in the indexes of its type, each once.
  public var entries: [IndexEntry] = []
  /// The record's `deleteSelf` references and its parent reference.
  public var links: Set<RecordLink> = []
  /// The files that the record holds.
  public var holds: Set<AssetHold> = []
  /// The bytes of the files that the record holds, each file once.
  public var assetBytes: Int64 = 0

  public init() {}

  public var isEmpty: Bool { entries.isEmpty && links.isEmpty && holds.isEmpty }

  /// Computes the rows of a record. A tombstone has no rows.
  ///
  /// - Parameter values: all fields of the record, or nil to decode the needed fields.
  /// - Throws: `INTERNAL_ERROR` if the stored fields cannot be read.
  public init(
    of record: StoredRecord, schema: Schema, values: [(key: String, value: FieldValue)]? = nil
  ) throws(ServerError) {
    if record.isDeleted { return }
    if let parent = record.parentRecordName {
      links.insert(RecordLink(kind: .parent, target: parent, source: record.name))
    }
    let indexes = schema.indexes[record.type] ?? []
    let type = schema.recordTypes[record.type]
    if let values {
      if type?.holdsLinksOrAssets ?? true {
        for (_, value) in values { add(value, of: record) }
      }
      for index in indexes { entries += index.entries(of: record, values: values) }
      return
    }
    var needed = indexes.fieldsNeeded(in: type)
    // If the type is unknown, every field may hold links or files.
    if let type { type.collectHolders(into: &needed) } else { needed = nil }
    if indexes.isEmpty, let needed, needed.isEmpty { return }
    let values = try record.fields.storedValues(of: needed)
    for (_, value) in values { add(value, of: record) }
    for index in indexes { entries += index.entries(of: record, values: values) }
  }

  private mutating func add(_ value: FieldValue, of record: StoredRecord) {
    switch value {
    case .reference(let reference):
      if reference.action == .deleteSelf {
        links.insert(
          RecordLink(kind: .deleteSelf, target: reference.recordName, source: record.name))
      }
    case .asset(let asset):
      if let checksum = asset.checksumBytes,
        holds.insert(AssetHold(checksum: checksum, recordName: record.name)).inserted
      {
        assetBytes += asset.size
      }
    case .list(_, let values): for value in values { add(value, of: record) }
    case .string, .int64, .double, .timestamp, .bytes, .location, .sealed: return
    }
  }
}

/// A record, and a file that the record uses. The file must therefore not be removed.
public struct AssetHold: Sendable, Hashable {
  /// SHA-256 of the contents.
  public var checksum: [UInt8]
  public var recordName: String

  public init(checksum: [UInt8], recordName: String) {
    self.checksum = checksum
    self.recordName = recordName
  }
}

// NB: names are compared by bytes. Names with different bytes belong to different records, even if
// they look alike.
extension AssetHold {
  public static func == (left: AssetHold, right: AssetHold) -> Bool {
    left.checksum == right.checksum && ExactName(left.recordName) == ExactName(right.recordName)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(checksum)
    hasher.combine(ExactName(recordName))
  }
}

/// The changes to derived rows, and to the counted records and bytes.
public struct RowChanges: Sendable {
  public var removed = DerivedRows()
  public var added = DerivedRows()
  /// The changes to the counts, by record type.
  public var usage: [String: Usage] = [:]

  public init() {}

  /// Adds the row changes of a record that changes from one state to another.
  ///
  /// - Parameters:
  ///   - old: the live state before the change, or nil if there was none.
  ///   - values: all fields of the new state, or nil to decode the needed fields.
  public mutating func note(
    _ new: StoredRecord, replacing old: StoredRecord?, schema: Schema,
    values: [(key: String, value: FieldValue)]? = nil
  ) throws(ServerError) {
    let after = try DerivedRows(of: new, schema: schema, values: values)
    usage[new.type, default: Usage()] += Usage(of: new, assetBytes: after.assetBytes)
    guard let old else {
      added.entries += after.entries
      if !after.links.isEmpty { added.links.formUnion(after.links) }
      if !after.holds.isEmpty { added.holds.formUnion(after.holds) }
      return
    }
    let before = try DerivedRows(of: old, schema: schema)
    usage[old.type, default: Usage()] -= Usage(of: old, assetBytes: before.assetBytes)
    if before.isEmpty, after.isEmpty { return }
    removed.entries += before.entries.without(after.entries)
    removed.links.formUnion(before.links.subtracting(after.links))
    removed.holds.formUnion(before.holds.subtracting(after.holds))
    added.entries += after.entries.without(before.entries)
    added.links.formUnion(after.links.subtracting(before.links))
    added.holds.formUnion(after.holds.subtracting(before.holds))
  }
}

extension [IndexEntry] {
  /// Returns the entries that are not in `others`. Most records have few entries, but some have one
  /// for each word.
  fileprivate func without(_ others: [IndexEntry]) -> [IndexEntry] {
    if count * others.count <= 64 { return filter { !others.contains($0) } }
    let others = Set(others)
    return filter { !others.contains($0) }
  }
}

extension RecordType {
  /// Adds the names of the fields that can contain links or files.
  func collectHolders(into names: inout Set<String>?) {
    guard holdsLinksOrAssets else { return }
    for (name, field) in fields where field.type.holdsLinksOrAssets { names?.insert(name) }
  }
}

extension FieldsJSON {
  /// Returns the values of some fields. The other fields are not decoded.
  ///
  /// - Parameter names: the names of the fields, or nil for all fields.
  /// - Throws: `INTERNAL_ERROR` if the stored text cannot be read.
  func storedValues(
    of names: Set<String>?
  ) throws(ServerError) -> [(key: String, value: FieldValue)] {
    guard let names else { return try storedValues() }
    if names.isEmpty { return [] }
    do { return try values(of: names).map { ($0.key, $0.value) } } catch {
      throw .fault("stored fields cannot be read", facts: ["reason": error.reason])
    }
  }

  /// - Throws: `INTERNAL_ERROR` if the stored text cannot be read.
  func storedValues() throws(ServerError) -> [(key: String, value: FieldValue)] {
    do { return try values() } catch {
      throw .fault("stored fields cannot be read", facts: ["reason": error.reason])
    }
  }
}
