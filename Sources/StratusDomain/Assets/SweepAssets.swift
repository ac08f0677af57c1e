/// Removes files that no record holds, one step at a time.
///
/// Each step removes the rows of files from the register in a transaction, and then the files
/// themselves. A crash between the two leaves files without rows, which
/// ``removeOrphans(after:limit:)`` finds.
public struct SweepAssets: Sendable {
  private let store: any Store
  private let address: StoreAddress
  private let assets: any AssetStore
  private let ambient: Ambient
  private let graceMilliseconds: Int64
  private let owner: AssetOwner?

  /// - Parameters:
  ///   - graceSeconds: a file that no record holds is kept for this number of seconds after
  ///     ``StoredAsset/touched``.
  ///   - owner: the ownership of the files, which is checked before files are removed, or nil if
  ///     no other installation can use the same files.
  public init(
    store: any Store, at address: StoreAddress, assets: any AssetStore, ambient: Ambient,
    graceSeconds: Int64, owner: AssetOwner?
  ) {
    self.owner = owner
    self.store = store
    self.address = address
    self.assets = assets
    self.ambient = ambient
    graceMilliseconds = graceSeconds * 1_000
  }

  /// Removes everything that is old enough: unfinished uploads, files that no record holds, and
  /// files without a row in the register.
  ///
  /// - Throws: `INTERNAL_ERROR` if the files belong to another installation, and other errors of
  ///   the stores.
  public func run() async throws(ServerError) {
    try await owner?.require()
    try await assets.discardUploads(at: address, untouchedSince: deadline)
    while try await removeUnheld(limit: Self.stepRows), !Task.isCancelled {}
    var cursor: String?
    repeat {
      cursor = try await removeOrphans(after: cursor, limit: Self.stepRows)
    } while cursor != nil && !Task.isCancelled
  }

  /// Removes files that no record holds, and their rows in the register.
  ///
  /// - Returns: whether more such files may exist.
  public func removeUnheld(limit: Int) async throws(ServerError) -> Bool {
    let deadline = deadline
    let unheld = try await store.read { (store) throws(ServerError) in
      try store.unheldAssets(touchedBefore: deadline, limit: limit)
    }
    if unheld.isEmpty { return false }
    try await owner?.require()
    let gone = try await store.write { (store) throws(ServerError) in
      var gone: [StoredAsset] = []
      for asset in unheld where try store.unregister(asset, touchedBefore: deadline) {
        gone.append(asset)
      }
      return gone
    }
    for asset in gone { try await assets.remove(file: asset.file, at: address) }
    return unheld.count == limit && !gone.isEmpty
  }

  /// Removes files without a row in the register, if they are older than the grace period. One call
  /// checks at most `limit` files.
  ///
  /// NB: files are listed before the register is read. A file that is registered after the listing
  /// is therefore found in the register. A file that is not registered yet is younger than the
  /// grace period.
  ///
  /// - Returns: the position to continue from, or nil if the end was reached.
  public func removeOrphans(
    after cursor: String?, limit: Int
  ) async throws(ServerError) -> String? {
    let deadline = deadline
    let files = try await assets.files(at: address, after: cursor, limit: limit)
    let names = files.filter { $0.finished < deadline }.map(\.name)
    if !names.isEmpty {
      let registered = try await store.read { (store) throws(ServerError) in
        try store.registered(files: names)
      }
      let unknown = names.filter { !registered.contains($0) }
      if !unknown.isEmpty { try await owner?.require() }
      for name in unknown { try await assets.remove(file: name, at: address) }
    }
    return files.count == limit ? files.last?.name : nil
  }

  private static let stepRows = 200

  private var deadline: Int64 { ambient.now() - graceMilliseconds }
}
