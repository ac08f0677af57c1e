extension StoreWriting {
  /// Begins the grace of files that records hold no longer, so that who still has a download URL,
  /// or sends an earlier state of a record back, finds the bytes.
  func touchAssets(releasedBy rows: RowChanges, now: Int64) throws(ServerError) {
    for checksum in Set(rows.removed.holds.map(\.checksum)) {
      guard var asset = try asset(checksum: checksum) else { continue }
      asset.touched = now
      _ = try register(asset)
    }
  }
}
