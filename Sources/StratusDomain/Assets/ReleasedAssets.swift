extension StoreWriting {
  /// Restarts the grace period of files that records no longer hold. During this period, earlier
  /// download URLs still work, and clients can save an earlier state of a record again.
  func touchAssets(releasedBy rows: RowChanges, now: Int64) throws(ServerError) {
    for checksum in Set(rows.removed.holds.map(\.checksum)) {
      guard var asset = try asset(checksum: checksum) else { continue }
      asset.touched = now
      _ = try register(asset)
    }
  }
}
