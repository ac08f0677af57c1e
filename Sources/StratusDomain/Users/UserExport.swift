public import StratusWire

/// Reads everything of a user from a store, piece by piece.
///
/// An export reads the live data, and no snapshot: a record that changes during the export appears
/// in its newer state or is left out.
public struct UserExport: Sendable {
  /// A piece of an export.
  public enum Piece: Sendable {
    /// Lines of JSON.
    case lines([ArchiveLine], isPublic: Bool)
    /// Some bytes of an asset. The first piece has the offset 0.
    case asset(checksum: String, size: Int64, offset: Int64, [UInt8])
    /// Nothing was found in this step.
    case nothing
  }

  /// The maximum number of records in one piece.
  private static let recordsMax = 200
  /// The size at which a piece of records ends. The last record may exceed it.
  private static let sizeBytesMax = 524_288
  /// The maximum number of bytes of an asset in one piece.
  private static let assetBytesMax = 1_048_576
  /// The maximum number of public records that one step examines.
  private static let examinedMax = 2_000
  /// The maximum number of shared zones, and of subscriptions in a database, that an export lists.
  /// Choice: far more than a user has.
  private static let listMax = 10_000

  let assets: any AssetStore

  /// Returns the next piece of a store, and moves the position.
  ///
  /// - Returns: nil if the store is complete.
  public func next(
    of user: String, in store: any Store, at address: StoreAddress,
    _ position: inout ExportPosition
  ) async throws(ServerError) -> Piece? {
    switch position.section {
    case .user:
      position.section = .zones
      return .lines(try await facts(of: user, in: store, at: address), isPublic: false)
    case .zones:
      if let piece = try await nextOfZone(
        of: user, in: .private(owner: user), store, at: address, &position)
      {
        return piece
      }
      position.section = .publicRecords
      position.zoneName = nil
      // NB: an import needs a zone before the subscription to this zone.
      let lines = try await subscriptions(of: user, in: store)
      return lines.isEmpty ? .nothing : .lines(lines, isPublic: false)
    case .publicRecords:
      return try await nextOfZone(of: user, in: .public, store, at: address, &position)
    }
  }

  private func facts(
    of user: String, in store: any Store, at address: StoreAddress
  ) async throws(ServerError) -> [ArchiveLine] {
    try await store.read { (store) throws(ServerError) in
      var lines: [ArchiveLine] = [
        .store(
          containerID: address.container, environment: address.environment, userRecordName: user)
      ]
      if let key = try store.userKey(of: user) { lines.append(.userKey(key)) }
      for zone in try store.sharedZones(of: user, after: 0, limit: Self.listMax) {
        lines.append(
          .note(
            ArchiveNote(
              "joinedShare", ["zoneName": zone.name, "ownerRecordName": zone.database.owner])))
      }
      for device in try store.devices(of: user) {
        lines.append(
          .note(
            ArchiveNote(
              "device", ["deviceID": device.deviceID], numbers: ["seenAt": device.seen])))
      }
      for role in try store.schema().customRoles(of: user).sorted() {
        lines.append(.note(ArchiveNote("role", ["name": role])))
      }
      return lines
    }
  }

  private func subscriptions(
    of user: String, in store: any Store
  ) async throws(ServerError) -> [ArchiveLine] {
    try await store.read { (store) throws(ServerError) in
      var lines: [ArchiveLine] = []
      for view in [DatabaseView.public, .private(user: user), .shared(user: user)] {
        for found in try store.subscriptions(of: user, in: view, limit: Self.listMax) {
          lines.append(.subscription(view.scope, try found.subscription()))
        }
      }
      return lines
    }
  }

  /// Returns the next piece of the zones of a database, or nil if all are complete.
  private func nextOfZone(
    of user: String, in database: DatabaseKey, _ store: any Store, at address: StoreAddress,
    _ position: inout ExportPosition
  ) async throws(ServerError) -> Piece? {
    guard position.isInZone else {
      return try await beginZone(in: database, store, &position)
    }
    // NB: the header of a file states its size, so a file is completed even if its record changes.
    if position.assetOffset != nil {
      return try await nextAsset(of: [], in: store, at: address, &position)
    }
    let asked = position
    let page = try await store.read { (store) throws(ServerError) -> Page? in
      guard let zone = try store.zone(named: asked.zoneName ?? "", in: database) else {
        return nil
      }
      return try Self.page(of: zone, asked, user, in: store)
    }
    guard let page, let newest = page.newest else {
      position.isInZone = false
      position.asset = nil
      return .nothing
    }
    if let piece = try await nextAsset(of: page.assets, in: store, at: address, &position) {
      return piece
    }
    position.after = newest
    position.asset = nil
    if page.lines.isEmpty { return .nothing }
    return .lines(page.lines, isPublic: database == .public)
  }

  private func beginZone(
    in database: DatabaseKey, _ store: any Store, _ position: inout ExportPosition
  ) async throws(ServerError) -> Piece? {
    let asked = position
    let begun = try await store.read {
      (store) throws(ServerError) -> (StoredZone, [WrappedZoneKey])? in
      guard let zone = try store.zones(in: database, after: asked.zoneName, limit: 1).first else {
        return nil
      }
      if database == .public { return (zone, []) }
      return (zone, try store.zoneKeys(of: zone))
    }
    guard let (zone, keys) = begun else { return nil }
    position.zoneName = zone.name
    position.isInZone = true
    position.after = 0
    position.through = zone.change
    position.asset = nil
    let archived = ArchiveZone(isPublic: database == .public, name: zone.name)
    if database == .public { return .nothing }
    return .lines(
      [.zone(archived, zone.encryptionScope)] + keys.map { .zoneKey(archived, $0) },
      isPublic: false)
  }

  /// Some records of a zone, with the assets that they hold.
  private struct Page: Sendable {
    var lines: [ArchiveLine] = []
    /// The checksums of the assets, each once and sorted.
    var assets: [String] = []
    /// The newest change of the page, or nil if there are no more changes.
    var newest: Int64?
  }

  private static func page(
    of zone: StoredZone, _ position: ExportPosition, _ user: String, in store: any StoreReading
  ) throws(ServerError) -> Page {
    var page = Page()
    guard position.after < position.through else { return page }
    let isPublic = zone.database == .public
    let records = try store.recordChanges(
      in: zone, range: ChangeRange(after: position.after, through: position.through),
      newestFirst: false, limit: isPublic ? examinedMax : recordsMax, sizeBytesMax: sizeBytesMax)
    page.newest = records.last?.change
    var assets: Set<String> = []
    let archived = ArchiveZone(isPublic: isPublic, name: zone.name)
    for record in records where !record.isDeleted {
      guard !isPublic || record.created.userRecordName == user else { continue }
      if record.hasAssets {
        for (_, value) in try record.fields.storedValues() {
          for asset in value.assets {
            if let checksum = asset.checksumBytes { assets.insert(checksum.hexText) }
          }
        }
      }
      page.lines.append(
        .record(
          archived,
          ArchiveRecord(
            name: record.name, type: record.type, created: record.created,
            modified: record.modified, parentName: record.parentRecordName,
            fields: try record.fieldsWithoutSharing(), share: try record.shareState()?.jsonBytes)))
    }
    page.assets = assets.sorted()
    return page
  }

  /// Returns the next bytes of some assets, or nil if all of them were written.
  ///
  /// - Parameter checksums: the checksums, each once and sorted.
  private func nextAsset(
    of checksums: [String], in store: any Store, at address: StoreAddress,
    _ position: inout ExportPosition
  ) async throws(ServerError) -> Piece? {
    let offset = position.assetOffset ?? 0
    let next: String?
    if position.assetOffset != nil {
      next = position.asset
    } else {
      next = checksums.first { $0 > position.asset ?? "" }
    }
    guard let next, let checksum = [UInt8](hexText: next) else { return nil }
    let stored = try await store.read { (store) throws(ServerError) in
      try store.asset(checksum: checksum)
    }
    guard let stored, let file = try await assets.open(file: stored.file, at: address) else {
      if position.assetOffset != nil {
        throw .fault("a file of an export has disappeared", facts: ["checksum": next])
      }
      position.asset = next
      return .lines([.note(ArchiveNote("missingAsset", ["fileChecksum": next]))], isPublic: false)
    }
    let bytes = try await file.read(
      at: offset, count: Int(min(Int64(Self.assetBytesMax), max(0, file.size - offset))))
    let end = offset + Int64(bytes.count)
    if bytes.isEmpty, end < file.size { throw .fault("a file is shorter than it was") }
    position.asset = next
    position.assetOffset = end < file.size ? end : nil
    return .asset(checksum: next, size: file.size, offset: offset, bytes)
  }
}

extension [UInt8] {
  /// The bytes as hex digits.
  var hexText: String {
    let digits = Array<UInt8>("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Decodes an even number of hex digits, or returns nil for any other text.
  public init?(hexText: String) {
    let digits = hexText.compactMap(\.hexDigitValue)
    guard digits.count == hexText.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map {
      UInt8(digits[$0] * 16 + digits[$0 + 1])
    }
  }
}
