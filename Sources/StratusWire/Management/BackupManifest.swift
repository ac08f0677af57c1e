/// The list of a backup's files, with a checksum of each. A backup writes this list as its last
/// file, so a folder with the list is complete.
///
/// The list does not contain the files of assets. Each store lists its own assets with their
/// checksums, and this list contains the checksum of the store.
public struct BackupManifest: JSONWritable, JSONReadable, Hashable {
  /// The name of the file in the backup.
  ///
  /// NB: the name begins with a dot, and no container ID does. The file therefore cannot replace a
  /// container's folder.
  public static let name = ".backup.json"
  /// The number of this format.
  public static let format: Int64 = 1

  /// The version of Stratus that made the backup.
  public var version: String
  /// The data folder that was copied, or the address of PostgreSQL.
  public var source: String
  /// The time at which the copy began, in milliseconds since 1970 UTC. Every acknowledged write
  /// from before this time is in the backup.
  public var begunAt: Int64
  /// The time at which the copy was complete, in milliseconds since 1970 UTC.
  public var endedAt: Int64
  /// The file of the registry, which contains the server's own data.
  public var registry: BackupFile
  public var stores: [BackupStore]
  /// The asset files that were missing or damaged in the data folder.
  public var missingFiles: [String]

  public init(
    version: String, source: String, begunAt: Int64, endedAt: Int64, registry: BackupFile,
    stores: [BackupStore], missingFiles: [String]
  ) {
    self.version = version
    self.source = source
    self.begunAt = begunAt
    self.endedAt = endedAt
    self.registry = registry
    self.stores = stores
    self.missingFiles = missingFiles
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("format", Self.format)
      writer.member("version", version)
      writer.member("source", source)
      writer.member("begunAt", begunAt)
      writer.member("endedAt", endedAt)
      writer.member("registry", registry)
      writer.member("stores", array: stores)
      writer.member("missingFiles", strings: missingFiles)
    }
  }

  public init(json: JSONView) throws(WireError) {
    guard try json.requiredInt64("format") <= Self.format else {
      throw WireError("a newer version of Stratus wrote the manifest")
    }
    version = try json.requiredString("version")
    source = try json.requiredString("source")
    begunAt = try json.requiredInt64("begunAt")
    endedAt = try json.requiredInt64("endedAt")
    registry = try json.required("registry")
    stores = try json.requiredArray("stores")
    missingFiles = try json.strings("missingFiles") ?? []
  }
}

/// The size and the checksum of a file in a backup.
public struct BackupFile: JSONWritable, JSONReadable, Hashable {
  public var sizeBytes: Int64
  /// SHA-256 of the contents, as hex digits.
  public var sha256: String

  public init(sizeBytes: Int64, sha256: String) {
    self.sizeBytes = sizeBytes
    self.sha256 = sha256
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("sizeBytes", sizeBytes)
      writer.member("sha256", sha256)
    }
  }

  public init(json: JSONView) throws(WireError) {
    sizeBytes = try json.requiredInt64("sizeBytes")
    sha256 = try json.requiredString("sha256")
  }
}

/// A store in a backup.
public struct BackupStore: JSONWritable, JSONReadable, Hashable {
  public var containerID: String
  public var environment: String
  public var file: BackupFile
  /// The number that identifies the store's history. Every backup has it. It is nil only if the
  /// manifest lacks it.
  public var epoch: Int64?
  /// The state of the store's file in the data folder when it was copied. A later backup need not
  /// copy a file that still has this state. It is nil if the file was written only a moment before
  /// the copy, because another write could leave this state unchanged.
  public var sourceState: String?

  public init(
    containerID: String, environment: String, file: BackupFile, epoch: Int64?,
    sourceState: String?
  ) {
    self.containerID = containerID
    self.environment = environment
    self.file = file
    self.epoch = epoch
    self.sourceState = sourceState
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("containerID", containerID)
      writer.member("environment", environment)
      writer.member("file", file)
      writer.member("epoch", epoch)
      writer.member("sourceState", sourceState)
    }
  }

  public init(json: JSONView) throws(WireError) {
    containerID = try json.requiredString("containerID")
    environment = try json.requiredString("environment")
    file = try json.required("file")
    epoch = json["epoch"]?.int64
    sourceState = try json.optionalString("sourceState")
  }
}

/// The results of the latest backups of a data folder. The server and `stratus backup` write this
/// file into the data folder, and `stratus doctor` reads it.
public struct BackupRecord: JSONWritable, JSONReadable, Hashable {
  /// The name of the file in the data folder.
  public static let name = ".last-backup.json"

  /// The folder of the latest complete backup, or nil if there is none.
  public var folder: String?
  /// The time at which the latest complete backup began, in milliseconds since 1970 UTC.
  public var begunAt: Int64?
  /// The time of the latest failure, in milliseconds since 1970 UTC. nil if a later backup
  /// succeeded.
  public var failedAt: Int64?
  /// The number of hours between two backups that the server makes, or nil if it makes none.
  public var everyHours: Int64?

  public init(
    folder: String? = nil, begunAt: Int64? = nil, failedAt: Int64? = nil,
    everyHours: Int64? = nil
  ) {
    self.folder = folder
    self.begunAt = begunAt
    self.failedAt = failedAt
    self.everyHours = everyHours
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("folder", folder)
      writer.member("begunAt", begunAt)
      writer.member("failedAt", failedAt)
      writer.member("everyHours", everyHours)
    }
  }

  public init(json: JSONView) throws(WireError) {
    folder = try json.optionalString("folder")
    begunAt = json["begunAt"]?.int64
    failedAt = json["failedAt"]?.int64
    everyHours = json["everyHours"]?.int64
  }
}

extension JSONView {
  fileprivate func requiredInt64(_ key: StaticString) throws(WireError) -> Int64 {
    guard let value = self[key] else { throw .missing(key) }
    guard let number = value.int64 else { throw .wrongType(key, expected: "a whole number") }
    return number
  }

  fileprivate func required(_ key: StaticString) throws(WireError) -> BackupFile {
    guard let value = self[key] else { throw .missing(key) }
    return try BackupFile(json: value)
  }
}
