import StratusWire

/// The data of shares is stored in two fields that no client can name. The data is therefore part
/// of a record's version, so that feeds, change tags, conflicts and backups need no special rules.
extension StoredRecord {
  /// The field of a share record that contains its ``ShareState``.
  static let shareField = "___share"
  /// The field of any other record that contains its ``ShareMark``.
  static let markField = "___mark"
  static let sharingFields: Set<String> = [shareField, markField]

  /// Returns the participants and permissions of a share record, or nil if the record is not a
  /// share.
  ///
  /// - Throws: `INTERNAL_ERROR` if the stored text cannot be read.
  func shareState() throws(ServerError) -> ShareState? { try hidden(Self.shareField) }

  /// Returns the share mark of a record: the record name of its share, and the short GUID of the
  /// share's URL. Returns nil if the record has no short GUID. A record may have a short GUID even
  /// if it is not the root of a share.
  ///
  /// - Throws: `INTERNAL_ERROR` if the stored text cannot be read.
  func shareMark() throws(ServerError) -> ShareMark? { try hidden(Self.markField) }

  /// Replaces the participants and permissions of a share record.
  ///
  /// - Throws: `INTERNAL_ERROR` if the stored text cannot be read.
  mutating func set(_ state: ShareState) throws(ServerError) {
    try setHidden(Self.shareField, to: state)
  }

  /// Replaces the share mark of a record. A mark of nil removes it.
  ///
  /// - Throws: `INTERNAL_ERROR` if the stored text cannot be read.
  mutating func set(_ mark: ShareMark?) throws(ServerError) {
    try setHidden(Self.markField, to: mark)
  }

  /// Copies the data of shares from an earlier state of the record.
  ///
  /// - Throws: `INTERNAL_ERROR` if the stored text cannot be read.
  mutating func keepSharing(of old: StoredRecord) throws(ServerError) {
    guard old.hasSharing else { return }
    if let state = try old.shareState() { try set(state) }
    if let mark = try old.shareMark() { try set(mark) }
  }

  /// Returns the title of a share record, or nil if it has none.
  ///
  /// - Throws: `INTERNAL_ERROR` if the stored text cannot be read.
  func shareTitle() throws(ServerError) -> String? {
    do throws(WireError) {
      guard
        case .string(let title) = try fields.values(of: [ShareRecord.titleField])[
          ShareRecord.titleField]
      else { return nil }
      return title
    } catch {
      throw .fault("stored data of a share cannot be read", facts: ["reason": error.reason])
    }
  }

  /// Returns the fields without the data of shares.
  ///
  /// - Throws: `INTERNAL_ERROR` if the stored text cannot be read.
  func fieldsWithoutSharing() throws(ServerError) -> FieldsJSON {
    if !hasSharing { return fields }
    return try merged(Self.sharingFields.map { ($0, nil) })
  }

  private func hidden<Value: JSONReadable>(_ field: String) throws(ServerError) -> Value? {
    if !hasSharing || isDeleted { return nil }
    do throws(WireError) {
      guard case .string(let text) = try fields.values(of: [field])[field] else { return nil }
      return try Value(jsonBytes: Array(text.utf8))
    } catch {
      throw .fault("stored data of a share cannot be read", facts: ["reason": error.reason])
    }
  }

  private mutating func setHidden(
    _ field: String, to value: (some JSONWritable)?
  ) throws(ServerError) {
    let text = value.map { FieldValue.string(String(decoding: $0.jsonBytes, as: UTF8.self)) }
    fields = try merged([(field, text)])
    hasSharing = text != nil
  }

  private func merged(
    _ changes: [(key: String, value: FieldValue?)]
  ) throws(ServerError) -> FieldsJSON {
    do { return try fields.merging(changes) } catch {
      throw .fault("stored fields cannot be read", facts: ["reason": error.reason])
    }
  }
}
