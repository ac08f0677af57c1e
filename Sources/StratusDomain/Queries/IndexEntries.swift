import StratusWire

extension QueryIndex {
  /// The entries a record has in this index.
  func entries(
    of record: StoredRecord, values: [(key: String, value: FieldValue)], type: RecordType?
  ) -> [IndexEntry] {
    []
  }
}
