import StratusWire

/// Measures participants of shares: their pulls and polls, their acceptances, and the cost of a
/// save in a zone with many participants.
struct SharingJobs {
  private static let zone = "shared"
  private static let plainZone = "plain"
  private static let participants = 100
  private static let sharedZones = 500
  private static let polls = 2_000
  private static let acceptances = 40

  let server: BenchServer
  let sizes: Sizes
  /// The container and zone with many records, whose share the users accept.
  let large: (container: String, zone: String)
  let round: Int
  /// Shows the name of each step as progress.
  let announce: (String) -> Void

  func measure() throws -> [Row] {
    try [measurePull(), measurePolls(), measureSaves(), measureAcceptance()]
  }

  /// Compares a participant's pull of a whole zone with the owner's pull of the same zone.
  private func measurePull() throws -> Row {
    announce("round \(round): full pull by a participant")
    let container = "iCloud.bench.shared.r\(round)"
    try server.fill(Self.zone, container: container, records: sizes.pulledRecords)
    let owner = server.requests(container)
    let guest = try join(
      try share(Self.zone, by: owner), as: "guest@\(container)", container: container)
    var rates = (owner: 0.0, guest: 0.0)
    for _ in 1...3 {
      rates.owner += try pull(owner) / 3
      rates.guest += try pull(guest) / 3
    }
    var row = Row("full pull by a participant", rate: rates.guest, unit: "records/s")
    row.comparisons = [
      .init(name: "of the owner's rate", value: rates.guest / rates.owner, goal: .atLeast(0.8))
    ]
    return row
  }

  /// Returns the number of records that one pull of the shared zone gets in a second.
  private func pull(_ requests: Requests) throws -> Double {
    let follower = Follower(port: server.process.port, requests: requests, zone: Self.zone)
    return Double(sizes.pulledRecords) / (try follower.pull(followers: 1).seconds)
  }

  /// Measures the polls of a user who participates in many zones, none of which changes.
  private func measurePolls() throws -> Row {
    announce("round \(round): polls of a user in \(Self.sharedZones) shared zones")
    let container = "iCloud.bench.polled.r\(round)"
    let owner = server.requests(container)
    let exchange = try Exchange(port: server.process.port)
    var shortGUIDs: [ShortGUID] = []
    for number in 0..<Self.sharedZones {
      _ = try exchange.send(owner.createZone("zone-\(number)"))
      shortGUIDs.append(try share("zone-\(number)", by: owner))
    }
    var guest = try server.account("guest@\(container)", container: container)
    for start in stride(from: 0, to: shortGUIDs.count, by: Limits.sharesPerRequestMax) {
      let end = min(start + Limits.sharesPerRequestMax, shortGUIDs.count)
      _ = try accept(Array(shortGUIDs[start..<end]), as: guest, over: exchange)
    }
    guest.database = "shared"
    var token: String?
    var moreComing = true
    while moreComing {
      let page = try FetchDatabaseChanges.Response(
        jsonBytes: Array(
          try exchange.send(guest.request(FetchDatabaseChanges.self, .init(syncToken: token)))))
      (token, moreComing) = (page.syncToken, page.moreComing)
    }
    let poll = guest.request(FetchDatabaseChanges.self, .init(syncToken: token))
    var latencies: [Int64] = []
    for _ in 0..<Self.polls { latencies.append(try exchange.time(poll).nanoseconds) }
    return Row(
      "database poll in \(Self.sharedZones) shared zones", latencies: latencies.sorted(),
      goals: [(0.99, "p99", 5)])
  }

  /// Compares saves in two zones of one container: a zone with many participants, and a zone that
  /// is not shared. The measurements of the two zones alternate.
  private func measureSaves() throws -> Row {
    announce("round \(round): saves in a zone with \(Self.participants) participants")
    let container = "iCloud.bench.joined.r\(round)"
    let owner = server.requests(container)
    for zone in [Self.zone, Self.plainZone] {
      try server.fillIndexed(zone, container: container, records: 0)
    }
    let shortGUID = try share(Self.zone, by: owner)
    for number in 0..<Self.participants {
      _ = try join(shortGUID, as: "guest-\(number)@\(container)", container: container)
    }
    var times = (shared: 0.0, plain: 0.0)
    var last = LoadGenerator.Load()
    for _ in 1...3 {
      times.plain += try save(owner, Self.plainZone).processorTimePerRequest / 3
      last = try save(owner, Self.zone)
      times.shared += last.processorTimePerRequest / 3
    }
    var row = Row("modify-1 in a zone with \(Self.participants) participants", last)
    row.processorMicroseconds = times.shared
    row.comparisons = [
      .init(
        name: "of the CPU without participants", value: times.shared / times.plain,
        goal: .atMost(1.1))
    ]
    return row
  }

  /// Measures acceptances of the share of a zone with many records. Each user accepts once.
  private func measureAcceptance() throws -> Row {
    announce("round \(round): acceptance of a zone with \(sizes.largeZoneRecords) records")
    let owner = server.requests(large.container)
    let exchange = try Exchange(port: server.process.port)
    let shortGUID = try share(large.zone, by: owner)
    var latencies: [Int64] = []
    for number in 0..<Self.acceptances {
      var guest = try server.account(
        "guest-\(round)-\(number)@\(large.container)", container: large.container)
      guest.database = "public"
      // The first request of a user creates the user's record.
      _ = try exchange.send(guest.request(ResolveShares.self, .init(shortGUIDs: [shortGUID])))
      let request = guest.request(AcceptShares.self, .init(shortGUIDs: [shortGUID]))
      latencies.append(try exchange.time(request).nanoseconds)
    }
    // The other jobs measure this zone without participants.
    let end = RecordOperation(.forceDelete, recordName: ShareRecord.zoneShareName)
    _ = try exchange.send(owner.saving([end], zone: large.zone))
    return Row(
      "acceptance of \(sizes.largeZoneRecords) records", latencies: latencies.sorted(),
      goals: [(0.99, "p99", 50)])
  }

  // Requests

  /// Shares a zone with everyone who has the URL.
  private func share(_ zone: String, by owner: Requests) throws -> ShortGUID {
    var operation = RecordOperation(
      .create, recordName: ShareRecord.zoneShareName, recordType: ShareRecord.recordType)
    operation.share = ShareInput(publicPermission: .readWrite)
    let body = try Exchange(port: server.process.port).send(
      owner.saving([operation], zone: zone))
    let answer = try RecordsResponse(jsonBytes: Array(body))
    guard case .record(let record)? = answer.records.first, let value = record.shortGUID else {
      throw Failure("a zone was not shared")
    }
    return ShortGUID(value: value, shouldFetchRootRecord: false)
  }

  /// Creates an account that joins a share.
  ///
  /// - Returns: the value that creates the account's requests to the shared database.
  private func join(
    _ shortGUID: ShortGUID, as email: String, container: String
  ) throws -> Requests {
    var guest = try server.account(email, container: container)
    let zones = try accept(
      [shortGUID], as: guest, over: try Exchange(port: server.process.port))
    guest.database = "shared"
    guest.owner = zones.first?.ownerRecordName
    return guest
  }

  private func accept(
    _ shortGUIDs: [ShortGUID], as guest: Requests, over exchange: Exchange
  ) throws -> [ZoneID] {
    var guest = guest
    guest.database = "public"
    let body = try exchange.send(
      guest.request(AcceptShares.self, .init(shortGUIDs: shortGUIDs)))
    return try AcceptShares.Response(jsonBytes: Array(body)).results.map { result in
      guard case .share(let share) = result else { throw Failure("a share was not joined") }
      return share.zoneID
    }
  }

  private func save(_ requests: Requests, _ zone: String) throws -> LoadGenerator.Load {
    var next = UInt64(Clock.nanoseconds())
    let generator = LoadGenerator(
      server: server.process, connections: 64,
      bound: .seconds(warmUp: sizes.warmUpSeconds, measured: sizes.seconds),
      nextName: {
        next += 1
        return next
      })
    return try generator.run(try requests.saving(1, zone: zone))
  }
}
