import StratusDomain
import StratusWire

extension StoreConformance {
  static let assetChecks: [Check] = [
    Check("a registered asset is found by its checksum", assetIsRegistered),
    Check("registering the same bytes again keeps their first file", firstFileStays),
    Check("a lost file can be replaced by another file with the same bytes", lostFileIsReplaced),
    Check("two assets never share one file", filesAreApart),
    Check("a lookup of files finds exactly the files that are registered", filesAreFound),
    Check("assets without a hold are listed oldest first, up to a limit", unheldAssetsAreOrdered),
    Check("an asset that was touched during a sweep stays registered", touchedAssetStays),
  ]

  static let holdChecks: [Check] = [
    Check("an asset that a record holds stays registered", heldAssetStays),
    Check("an asset stays registered until its last hold is removed", lastHoldCounts),
    Check("a hold counts even if it exists before its asset is registered", earlyHoldCounts),
    Check("a failed write neither adds nor removes a hold of an asset", undoneHolds),
    Check("purging a zone removes the holds of its assets", purgeReleasesAssets),
  ]

  private static func hold(_ byte: UInt8, by name: String = "r") -> DerivedRows {
    Sample.rows(holds: [AssetHold(checksum: Sample.checksum(byte), recordName: name)])
  }

  /// The lookup returns every property of the asset.
  static func assetIsRegistered(_ store: any Store) async throws {
    let asset = Sample.asset(255, touched: .max)
    let (before, registered) = try await store.write { (body) throws(ServerError) in
      (try body.asset(checksum: asset.checksum), try body.register(asset))
    }
    let (found, other) = try await store.read { (body) throws(ServerError) in
      (
        try body.asset(checksum: asset.checksum), try body.asset(checksum: Sample.checksum(0))
      )
    }
    try expect(before, nil)
    try expect(registered, asset)
    try expect(found, asset)
    try expect(other, nil)
  }

  /// Registering the same bytes again changes only the asset's time, which never becomes earlier.
  static func firstFileStays(_ store: any Store) async throws {
    var expected = Sample.asset(1, touched: 100)
    var second = expected
    second.file = "second"
    for (time, noted) in [(100, 100), (200, 200), (150, 200)] as [(Int64, Int64)] {
      second.touched = time
      let asset = time == 100 ? expected : second
      let (answer, found) = try await store.write { (body) throws(ServerError) in
        (try body.register(asset), try body.asset(checksum: asset.checksum))
      }
      expected.touched = noted
      try expect(answer, expected)
      try expect(found, expected)
    }
    let files = try await store.read { (body) throws(ServerError) in
      try body.registered(files: ["file 1", "second"])
    }
    try expect(files, ["file 1"])
  }

  /// A lost file is replaced only once, and only by a file with the same bytes.
  static func lostFileIsReplaced(_ store: any Store) async throws {
    let (first, other) = (Sample.asset(1, touched: 100), Sample.asset(2, touched: 100))
    var renewed = first
    renewed.file = "renewed"
    var late = first
    late.file = "late"
    let (second, third) = (renewed, late)
    let (answers, found) = try await store.write { (body) throws(ServerError) in
      _ = try body.register(first)
      _ = try body.register(other)
      let answers = [
        try body.replace(file: other.file, by: second),
        try body.replace(file: first.file, by: second),
        try body.replace(file: first.file, by: third),
      ]
      return (
        answers,
        [try body.asset(checksum: first.checksum), try body.asset(checksum: other.checksum)]
      )
    }
    try expect(answers, [false, true, false])
    try expect(found, [second, other])
  }

  /// The store refuses to register two assets with the same file. A correct caller never requests
  /// this.
  static func filesAreApart(_ store: any Store) async throws {
    let error = await store.failure { (body) throws(ServerError) in
      _ = try body.register(Sample.asset(1))
      var other = Sample.asset(2)
      other.file = Sample.asset(1).file
      _ = try body.register(other)
    }
    try expect(error?.code, .internalError)
  }

  /// Any number of files can be looked up at once.
  static func filesAreFound(_ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      for byte in 0..<60 as Range<UInt8> { _ = try body.register(Sample.asset(byte)) }
    }
    let asked = (40..<90).map { "file \($0)" }
    let (found, none) = try await store.read { (body) throws(ServerError) in
      (try body.registered(files: asked + asked), try body.registered(files: []))
    }
    try expect(found, Set((40..<60).map { "file \($0)" }))
    try expect(none, [])
  }

  /// The list contains the assets touched before the given time, but not those touched exactly at
  /// that time.
  static func unheldAssetsAreOrdered(_ store: any Store) async throws {
    let assets = [(1, 50), (2, 10), (3, 40), (4, 30), (5, 20)].map {
      Sample.asset($0.0, touched: $0.1)
    }
    try await store.change(adding: hold(4))
    try await store.write { (body) throws(ServerError) in
      for asset in assets { _ = try body.register(asset) }
    }
    let cases: [(Int64, Int, [Int64])] = [
      (50, 9, [10, 20, 40]), (51, 9, [10, 20, 40, 50]), (40, 9, [10, 20]), (10, 9, []),
      (99, 2, [10, 20]), (99, 0, []),
    ]
    for (time, limit, expected) in cases {
      let found = try await store.read { (body) throws(ServerError) in
        try body.unheldAssets(touchedBefore: time, limit: limit)
      }
      try expect(found.map(\.touched), expected, "before \(time), limit \(limit)")
      try expect(found.allSatisfy(assets.contains), true)
    }
  }

  /// The store compares the given time with the asset's current time, not with the time that an
  /// earlier list of unheld assets contains.
  static func touchedAssetStays(_ store: any Store) async throws {
    let old = Sample.asset(1, touched: 10)
    var touched = old
    touched.touched = 20
    let again = touched
    var elsewhere = old
    elsewhere.file = "elsewhere"
    let other = elsewhere
    let answers = try await store.write { (body) throws(ServerError) in
      _ = try body.register(old)
      _ = try body.register(again)
      return [
        try body.unregister(old, touchedBefore: 20), try body.unregister(other, touchedBefore: 99),
        try body.asset(checksum: old.checksum) != nil,
        try body.unregister(old, touchedBefore: 21),
        try body.asset(checksum: old.checksum) != nil,
        try body.registered(files: [old.file]) == [old.file],
        try body.unregister(old, touchedBefore: 21),
      ]
    }
    try expect(answers, [false, false, true, true, false, false, false])
  }

  /// A held asset is neither listed nor removable. After its last hold is removed, the asset is
  /// listed and can be removed.
  static func heldAssetStays(_ store: any Store) async throws {
    let asset = Sample.asset(1)
    _ = try await store.write { (body) throws(ServerError) in try body.register(asset) }
    try await store.change(adding: hold(1))
    try expect(try await sweep(store), ["stays 1"])
    try await store.change(removing: hold(1))
    try expect(try await sweep(store), ["listed 1", "goes 1"])
  }

  /// Four records hold the asset: three in two zones of one user, and one in a zone of another
  /// user. A hold that is added twice counts once.
  static func lastHoldCounts(_ store: any Store) async throws {
    _ = try await store.write { (body) throws(ServerError) in
      try body.register(Sample.asset(1))
    }
    let holds: [(String, DatabaseKey, DerivedRows)] = [
      ("Notes", Sample.ann, hold(1)), ("Notes", Sample.ann, hold(1, by: "other")),
      ("Other", Sample.ann, hold(1)), ("Notes", Sample.bob, hold(1)),
    ]
    for _ in 0..<2 {
      for (zone, database, rows) in holds {
        try await store.change(in: zone, of: database, adding: rows)
      }
    }
    for (zone, database, rows) in holds {
      try expect(try await sweep(store), ["stays 1"])
      try await store.change(in: zone, of: database, removing: rows)
    }
    try expect(try await sweep(store), ["listed 1", "goes 1"])
  }

  /// A hold can exist before its asset is registered, if the asset was unregistered by mistake.
  static func earlyHoldCounts(_ store: any Store) async throws {
    try await store.change(adding: hold(1))
    _ = try await store.write { (body) throws(ServerError) in
      try body.register(Sample.asset(1))
    }
    try expect(try await sweep(store), ["stays 1"])
  }

  /// The failed write adds one hold and removes another one.
  static func undoneHolds(_ store: any Store) async throws {
    _ = try await store.write { (body) throws(ServerError) in
      for byte in [1, 2] as [UInt8] { _ = try body.register(Sample.asset(byte)) }
    }
    try await store.change(adding: hold(2))
    _ = await store.failure { (body) throws(ServerError) in
      try body.change(removing: hold(2), adding: hold(1))
      throw Sample.refusal
    }
    try expect(try await sweep(store), ["listed 1", "goes 1", "stays 2"])
  }

  /// Deleting a zone does not remove the holds of its assets. The purge removes them, perhaps much
  /// later.
  static func purgeReleasesAssets(_ store: any Store) async throws {
    _ = try await store.write { (body) throws(ServerError) in
      try body.register(Sample.asset(1))
    }
    try await store.change(adding: hold(1))
    try await store.write { (body) throws(ServerError) in
      try body.deleteZone(try body.existing("Notes"))
    }
    try expect(try await sweep(store), ["stays 1"])
    _ = try await store.write { (body) throws(ServerError) in
      try body.purge(limit: 100, rows: hold(1))
    }
    try expect(try await sweep(store), ["listed 1", "goes 1"])
  }

  /// Lists the assets without a hold and unregisters the assets 1 and 2, as a sweep does. Returns
  /// the results.
  private static func sweep(_ store: any Store) async throws -> [String] {
    try await store.write { (body) throws(ServerError) in
      let listed = try body.unheldAssets(touchedBefore: .max, limit: 10)
      var result: [String] = []
      for byte in [1, 2] as [UInt8] {
        let asset = Sample.asset(byte)
        guard try body.asset(checksum: asset.checksum) != nil else { continue }
        if listed.contains(asset) { result.append("listed \(byte)") }
        let isGone = try body.unregister(asset, touchedBefore: .max)
        result.append(isGone ? "goes \(byte)" : "stays \(byte)")
      }
      return result
    }
  }
}
