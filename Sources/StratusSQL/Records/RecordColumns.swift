import StratusDomain
import StratusWire

/// The columns of `records` from which a ``StoredRecord`` is read, in their order.
enum RecordColumns {
  static let list = """
    name, type, change, deleted, created_at, created_by, created_device,
    modified_at, modified_by, modified_device, parent, fields, assets, revision, record
    """
  /// The columns, for a statement that also reads other tables with columns of these names.
  static let qualifiedList = list.split { ",\n ".contains($0) }.map { "records.\($0)" }
    .joined(separator: ", ")
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

  /// - Parameter first: the column of the row at which the columns of the record begin.
  mutating func record(_ row: any SQLRow, from first: Int = 0) -> StoredRecord {
    type = row.text(first + 1, ifNot: type)
    let created = stamp(row, at: first + 4)
    let modified = stamp(row, at: first + 7)
    let isDeleted = row.integer(first + 3) != 0
    let flags = isDeleted ? 0 : row.integer(first + 12)
    return StoredRecord(
      name: row.text(first), type: type, change: row.integer(first + 2), isDeleted: isDeleted,
      created: created, modified: modified, parentRecordName: row.optionalText(first + 10),
      fields: isDeleted ? .empty : FieldsJSON(text: row.bytes(first + 11)),
      hasAssets: flags & RecordFlags.assets != 0, hasSharing: flags & RecordFlags.sharing != 0,
      number: row.integer(first + 14), revision: row.integer(first + 13))
  }

  private mutating func stamp(_ row: any SQLRow, at column: Int) -> Stamp {
    user = row.text(column + 1, ifNot: user)
    device = row.text(column + 2, ifNot: device)
    return Stamp(timestamp: row.integer(column), userRecordName: user, deviceID: device)
  }
}
