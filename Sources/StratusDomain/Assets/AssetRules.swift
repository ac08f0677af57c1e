import StratusWire

/// The rules for the assets that a request writes into fields.
struct AssetRules: Sendable {
  let links: AssetLinks
  /// The registered files of the assets in the request, by checksum.
  let known: [[UInt8]: StoredAsset]

  /// Returns the changes with their assets in stored form, which has only the checksum and the
  /// size.
  ///
  /// An asset needs a receipt, unless the field already holds the same asset: clients send whole
  /// records back, including unchanged assets.
  ///
  /// - Parameter trustsFiles: whether registered files need no receipts, because the server itself
  ///   restores an earlier state.
  /// - Throws: `BAD_REQUEST` with the field's name, if an asset has no valid receipt or its file is
  ///   no longer registered.
  func settle(
    _ changes: [(key: String, value: FieldValue?)], over stored: StoredRecord?,
    trustsFiles: Bool = false
  ) throws(ServerError) -> [(key: String, value: FieldValue?)] {
    guard changes.contains(where: { $0.value?.holdsAssets ?? false }) else { return changes }
    let held = trustsFiles ? try registered(changes) : try Self.held(by: stored)
    var settled: [(key: String, value: FieldValue?)] = []
    settled.reserveCapacity(changes.count)
    for (key, value) in changes {
      settled.append(
        (
          key,
          try value.map { value throws(ServerError) in
            try settle(value, field: key, held: held[key] ?? [])
          }
        ))
    }
    return settled
  }

  /// Returns the assets of each changed field.
  ///
  /// - Throws: `BAD_REQUEST` if the file of an asset is not registered.
  private func registered(
    _ changes: [(key: String, value: FieldValue?)]
  ) throws(ServerError) -> [String: Set<Asset>] {
    var assets: [String: Set<Asset>] = [:]
    for (key, value) in changes {
      for asset in value?.assets ?? [] {
        guard let checksum = asset.checksumBytes, known[checksum]?.size == asset.size else {
          throw .badRequest("Field '\(key)': the file of the asset is no longer there")
        }
        assets[key, default: []].insert(asset.bare)
      }
    }
    return assets
  }

  private func settle(
    _ value: FieldValue, field: String, held: Set<Asset>
  ) throws(ServerError) -> FieldValue {
    switch value {
    case .asset(let asset): return .asset(try settle(asset, field: field, held: held))
    case .list(.asset, let values):
      var settled: [FieldValue] = []
      for value in values { settled.append(try settle(value, field: field, held: held)) }
      return .list(.asset, settled)
    case .string, .int64, .double, .timestamp, .bytes, .location, .reference, .sealed, .list:
      return value
    }
  }

  private func settle(
    _ asset: Asset, field: String, held: Set<Asset>
  ) throws(ServerError) -> Asset {
    let bare = asset.bare
    if held.contains(bare) { return bare }
    guard let receipt = asset.receipt else {
      throw .badRequest("Field '\(field)': an asset needs the receipt of its upload")
    }
    guard let proved = links.file(provedBy: receipt) else {
      throw .badRequest("Field '\(field)': the receipt of the asset is not valid")
    }
    guard proved.checksum == asset.checksumBytes, proved.size == asset.size else {
      throw .badRequest("Field '\(field)': the receipt is that of another asset")
    }
    guard let file = known[proved.checksum], file.size == proved.size else {
      throw .badRequest("Field '\(field)': the asset is no longer there, upload it again")
    }
    return Asset(fileChecksum: Base64.encode(file.checksum), size: file.size)
  }

  /// The assets that each field already holds.
  private static func held(by stored: StoredRecord?) throws(ServerError) -> [String: Set<Asset>] {
    guard let stored, stored.hasAssets else { return [:] }
    var held: [String: Set<Asset>] = [:]
    for (key, value) in try stored.fields.storedValues() where value.holdsAssets {
      held[key] = Set(value.assets.map(\.bare))
    }
    return held
  }

  /// Whether a record holds assets after the changes.
  ///
  /// - Parameter stored: the record before the changes. nil if there is no record, or if the save
  ///   replaces all its fields.
  static func holdsAssets(
    _ changes: [(key: String, value: FieldValue?)], over stored: StoredRecord?
  ) throws(ServerError) -> Bool {
    if changes.contains(where: { $0.value?.holdsAssets ?? false }) { return true }
    guard let stored, stored.hasAssets else { return false }
    let changed = Set(changes.map(\.key))
    return try stored.fields.storedValues().contains {
      $0.value.holdsAssets && !changed.contains($0.key)
    }
  }
}

extension Asset {
  /// The stored form of the asset, which has only the checksum and the size.
  fileprivate var bare: Asset { Asset(fileChecksum: fileChecksum, size: size) }
}

extension FieldValue {
  /// The assets in the value.
  var assets: [Asset] {
    switch self {
    case .asset(let asset): [asset]
    case .list(.asset, let values): values.flatMap(\.assets)
    case .string, .int64, .double, .timestamp, .bytes, .location, .reference, .sealed, .list: []
    }
  }

  /// Whether the value is an asset, or a list of assets.
  var holdsAssets: Bool {
    switch self {
    case .asset: true
    case .list(.asset, let values): !values.isEmpty
    case .string, .int64, .double, .timestamp, .bytes, .location, .reference, .sealed, .list: false
    }
  }
}
