import CloudKit

/// The change tag of every version of every record. A tag changes exactly when its record changes.
struct TagBook {
  private var tags: [RecordKey: [Int: String]] = [:]

  /// Compares a record's change tag with the known change tags of the record's versions.
  ///
  /// - Throws: ``Mismatch`` if the version had another tag before, or if another version had this
  ///   tag.
  mutating func check(_ record: CKRecord, _ key: RecordKey, version: Int) throws {
    guard let tag = record.recordChangeTag else { throw Mismatch("\(key) has no change tag") }
    if let known = tags[key]?[version] {
      try Mismatch.require(known == tag, "the tag of \(key) changed without a change")
      return
    }
    try Mismatch.require(
      tags[key]?.values.contains(tag) != true, "\(key) changed without a new tag")
    tags[key, default: [:]][version] = tag
  }

  /// Returns the change tag of a version.
  func tag(_ key: RecordKey, version: Int) -> String? { tags[key]?[version] }
}
