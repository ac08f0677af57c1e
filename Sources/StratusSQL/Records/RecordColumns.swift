import StratusDomain
import StratusWire

/// The columns of `records` from which a ``StoredRecord`` is read, in their order.
enum RecordColumns {
  static let list = """
    name, type, change, deleted, created_at, created_by, created_device,
    modified_at, modified_by, modified_device, parent, fields, assets, revision, record
    """
  /// The number of columns.
  static let count = 15
}

/// The bits of the column `assets`: whether the fields contain files, and whether they contain data
/// of a share.
enum RecordFlags {
  static let assets: Int64 = 1
  static let sharing: Int64 = 2

  static func of(_ record: StoredRecord) -> Int64 {
    if record.isDeleted { return 0 }
    return (record.hasAssets ? assets : 0) | (record.hasSharing ? sharing : 0)
  }
}

/// Decodes records row by row. Equal texts of adjacent records share their memory.
struct RecordReader {
  private var type = ""
  private var user = ""
  private var device = ""

  mutating func record(_ row: any SQLRow) -> StoredRecord {
    type = row.text(1, ifNot: type)
    let created = stamp(row, at: 4)
    let modified = stamp(row, at: 7)
    let isDeleted = row.integer(3) != 0
    return StoredRecord(
      name: row.text(0), type: type, change: row.integer(2), isDeleted: isDeleted,
      created: created, modified: modified, parentRecordName: row.optionalText(10),
      fields: isDeleted ? .empty : FieldsJSON(text: row.bytes(11)),
      hasAssets: !isDeleted && row.integer(12) & RecordFlags.assets != 0,
      hasSharing: !isDeleted && row.integer(12) & RecordFlags.sharing != 0,
      number: row.integer(14), revision: row.integer(13))
  }

  private mutating func stamp(_ row: any SQLRow, at column: Int) -> Stamp {
    user = row.text(column + 1, ifNot: user)
    device = row.text(column + 2, ifNot: device)
    return Stamp(timestamp: row.integer(column), userRecordName: user, deviceID: device)
  }
}
