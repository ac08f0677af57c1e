import CloudKit

extension ModelRun {
  /// Reads the database's feed page by page. It reports the zones that were created, were deleted,
  /// or have changed records.
  mutating func followDatabase(limit: Int?, pages: Int?, on device: Int) async throws {
    var told: Set<Int> = []
    for _ in 0..<(pages ?? 20) {
      var feed = devices[device].databaseFeed
      let page = try await devices[device].database.databaseChanges(
        since: feed.token, resultsLimit: limit)
      let count = page.modifications.count + page.deletions.count
      try Mismatch.require(
        count <= limit ?? .max, "\(count) zones in a page of \(limit ?? 0)")
      for modification in page.modifications {
        let zone = try tell(modification.zoneID, feed: feed, told: &told)
        try Mismatch.require(
          model.customZones.contains(zone), "the feed tells of zone \(zone), which is not there")
        feed.zones.insert(zone)
        feed.toldAt[zone] = model.moment
      }
      for deletion in page.deletions {
        let zone = try tell(deletion.zoneID, feed: feed, told: &told)
        try Mismatch.require(
          !model.customZones.contains(zone), "the feed deletes zone \(zone), which is there")
        try Mismatch.require(
          deletion.reason == .deleted, "zone \(zone) went by \(deletion.reason)")
        feed.zones.remove(zone)
        sightings.insert(.zoneDeletionTold)
        feed.toldAt[zone] = model.moment
      }
      feed.token = page.changeToken
      if !page.moreComing { try complete(&feed, device) }
      devices[device].databaseFeed = feed
      if !page.moreComing { return }
    }
    try Mismatch.require(pages != nil, "the database's feed does not end")
  }

  private func tell(
    _ zoneID: CKRecordZone.ID, feed: ModelDevice.DatabaseFeed, told: inout Set<Int>
  ) throws -> Int {
    guard let zone = place.zone(zoneID), let change = model.zoneChanges[zone] else {
      throw Mismatch("the database's feed tells of \(zoneID)")
    }
    try Mismatch.require(told.insert(zone).inserted, "the feed tells of zone \(zone) twice")
    if let completeAt = feed.completeAt {
      try Mismatch.require(
        change > completeAt, "the feed tells of zone \(zone), which is as it was")
    }
    return zone
  }

  private func complete(_ feed: inout ModelDevice.DatabaseFeed, _ device: Int) throws {
    try Mismatch.require(
      feed.zones == model.customZones,
      "device \(device) knows the zones \(feed.zones), there are \(model.customZones)")
    for zone in model.customZones {
      guard let change = model.zoneChanges[zone], change > feed.completeAt ?? 0 else { continue }
      try Mismatch.require(
        feed.toldAt[zone] ?? 0 >= change,
        "device \(device) was not told that zone \(zone) has changed")
    }
    feed.completeAt = model.moment
    feed.toldAt = [:]
  }
}
