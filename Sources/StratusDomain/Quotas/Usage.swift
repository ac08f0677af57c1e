import StratusWire

/// A number of records, and the bytes that they use.
public struct Usage: Sendable, Hashable {
  public var records: Int64
  /// The bytes of the records' names and fields, as the store keeps them.
  public var recordBytes: Int64
  /// The bytes of the files that the records hold.
  ///
  /// Choice: a file counts once for each record that holds it, although the server stores equal
  /// bytes only once. Otherwise the deletion of a record could change the usage of another user.
  public var assetBytes: Int64

  public init(records: Int64 = 0, recordBytes: Int64 = 0, assetBytes: Int64 = 0) {
    self.records = records
    self.recordBytes = recordBytes
    self.assetBytes = assetBytes
  }

  /// The sum of all bytes. A quota limits this sum.
  public var bytes: Int64 { recordBytes + assetBytes }

  public var isZero: Bool { self == Usage() }

  public static func += (left: inout Usage, right: Usage) {
    left.records += right.records
    left.recordBytes += right.recordBytes
    left.assetBytes += right.assetBytes
  }

  public static func -= (left: inout Usage, right: Usage) {
    left.records -= right.records
    left.recordBytes -= right.recordBytes
    left.assetBytes -= right.assetBytes
  }

  /// The usage of one record. A tombstone has none.
  ///
  /// - Parameter assetBytes: the bytes of the files that the record holds.
  init(of record: StoredRecord, assetBytes: Int64) {
    if record.isDeleted {
      self.init()
    } else {
      self.init(
        records: 1,
        recordBytes: Int64(record.name.utf8.count) + Int64(record.fields.text.count),
        assetBytes: assetBytes)
    }
  }

  /// The usage of one record, whose files are found in its fields.
  ///
  /// - Throws: `INTERNAL_ERROR` if the stored fields cannot be read.
  init(of record: StoredRecord) throws(ServerError) {
    guard record.hasAssets, !record.isDeleted else {
      self.init(of: record, assetBytes: 0)
      return
    }
    var sizes: [[UInt8]: Int64] = [:]
    for (_, value) in try record.fields.storedValues() {
      for asset in value.assets {
        if let checksum = asset.checksumBytes { sizes[checksum] = asset.size }
      }
    }
    self.init(of: record, assetBytes: sizes.values.reduce(0, +))
  }
}

/// The usage of one record type in a database.
public struct TypeUsage: Sendable, Hashable {
  public var recordType: String
  public var usage: Usage

  public init(recordType: String, usage: Usage) {
    self.recordType = recordType
    self.usage = usage
  }
}

/// A limit on the bytes of a database.
public enum StorageQuota: Sendable, Hashable {
  case unlimited
  case bytes(Int64)

  /// The number of bytes, or nil if there is no limit.
  public var bytes: Int64? {
    switch self {
    case .unlimited: nil
    case .bytes(let count): count
    }
  }
}
