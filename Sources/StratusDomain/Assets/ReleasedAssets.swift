extension StoreWriting {
  /// Restarts the grace period of files that records no longer hold. Clients that still have a
  /// download URL, or that send an earlier state of a record again, then find the bytes.
  func touchAssets(releasedBy rows: RowChanges, now: Int64) throws(ServerError) {
    for checksum in Set(rows.removed.holds.map(\.checksum)) {
      guard var asset = try asset(checksum: checksum) else { continue }
      asset.touched = now
      _ = try register(asset)
    }
  }
}
