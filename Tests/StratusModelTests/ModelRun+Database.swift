import CloudKit

extension ModelRun {
  /// Reads the database's feed page by page. The feed must report the zones that were created or
  /// deleted, and the zones with changed records.
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
          model.customZones.contains(zone), "the feed reports zone \(zone), which does not exist")
        feed.zones.insert(zone)
        feed.toldAt[zone] = model.moment
      }
      for deletion in page.deletions {
        let zone = try tell(deletion.zoneID, feed: feed, told: &told)
        try Mismatch.require(
          !model.customZones.contains(zone), "the feed deletes zone \(zone), which exists")
        try Mismatch.require(
          deletion.reason == .deleted, "zone \(zone) was deleted by \(deletion.reason)")
        feed.zones.remove(zone)
        sightings.insert(.zoneDeletionTold)
        feed.toldAt[zone] = model.moment
      }
      feed.token = page.changeToken
      if !page.moreComing { try complete(&feed, device) }
      devices[device].databaseFeed = feed
      if !page.moreComing { return }
    }
    try Mismatch.require(pages != nil, "the database's feed has no end")
  }

  private func tell(
    _ zoneID: CKRecordZone.ID, feed: ModelDevice.DatabaseFeed, told: inout Set<Int>
  ) throws -> Int {
    guard let zone = place.zone(zoneID), let change = model.zoneChanges[zone] else {
      throw Mismatch("the database's feed reports \(zoneID)")
    }
    try Mismatch.require(told.insert(zone).inserted, "the feed reports zone \(zone) twice")
    if let completeAt = feed.completeAt {
      try Mismatch.require(
        change > completeAt, "the feed reports zone \(zone), which has not changed")
    }
    return zone
  }

  private func complete(_ feed: inout ModelDevice.DatabaseFeed, _ device: Int) throws {
    try Mismatch.require(
      feed.zones == model.customZones,
      "device \(device) knows the zones \(feed.zones), not \(model.customZones)")
    for zone in model.customZones {
      guard let change = model.zoneChanges[zone], change > feed.completeAt ?? 0 else { continue }
      try Mismatch.require(
        feed.toldAt[zone] ?? 0 >= change,
        "the feed has not reported to device \(device) that zone \(zone) changed")
    }
    feed.completeAt = model.moment
    feed.toldAt = [:]
  }
}
