import StratusDomain

extension StoreConformance {
  static let linkChecks: [Check] = [
    Check("links are found in order of target and source, up to a limit", linksAreOrdered),
    Check("kinds of links and zones are apart", linksAreApart),
    Check("a link that is removed is gone, and one added twice is one", linksAreRemoved),
    Check("links of a deleted zone are purged", linksArePurged),
    Check("of names, those of live records exist", liveNamesExist),
  ]

  static let cascadeChecks: [Check] = [
    Check("cascades are found oldest first, with their zones as they are", cascadesAreOrdered),
    Check("a cascade that is finished is forgotten, and no other", cascadesAreFinished),
    Check("a cascade that is there already stays what it is", cascadesAreAddedOnce),
    Check("cascades of deleted zones are left out", deadCascadesAreLeftOut),
  ]

  /// However many targets there are; a target asked for twice counts once.
  static func linksAreOrdered(_ store: any Store) async throws {
    let targets = ["B", "a", "a\0", "e\u{301}", "z", "é"] + (0..<40).map { "é\($0 + 10)" }
    let links = targets.flatMap { target in
      ["1", "\u{10FFFF}", "2", "ÿ"].map { Sample.link($0, to: target) }
    }
    try await store.change(adding: Sample.rows(links: links))
    for limit in [0, 1, 6, 1_000] {
      let found = try await store.read { (body) throws(ServerError) in
        let asked = (targets + targets + ["none"]).reversed()
        return try body.links(
          .deleteSelf, to: Array(asked), in: try body.existing("Notes"), limit: limit)
      }
      let expected = targets.flatMap { target in
        ["1", "2", "ÿ", "\u{10FFFF}"].map { Array("\(target)/\($0)".utf8) }
      }
      try expect(
        found.map { Array("\($0.target)/\($0.source)".utf8) }, Array(expected.prefix(limit)))
      try expect(found.allSatisfy { $0.kind == .deleteSelf }, true)
    }
  }

  /// The same names in another kind, zone and database.
  static func linksAreApart(_ store: any Store) async throws {
    try await store.change(adding: Sample.rows(links: [Sample.link("child", to: "x")]))
    try await store.change(adding: Sample.rows(links: [Sample.link("leaf", to: "x", .parent)]))
    try await store.change(
      in: "Other", adding: Sample.rows(links: [Sample.link("other", to: "x")]))
    try await store.change(
      of: Sample.bob, adding: Sample.rows(links: [Sample.link("bob's", to: "x")]))
    let found = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      return [
        try body.links(.deleteSelf, to: ["x"], in: zone, limit: 9),
        try body.links(.parent, to: ["x"], in: zone, limit: 9),
        try body.links(.deleteSelf, to: ["x"], in: try body.existing("Other"), limit: 9),
        try body.links(.deleteSelf, to: [], in: zone, limit: 9),
        try body.links(.deleteSelf, to: ["child"], in: zone, limit: 9),
      ]
    }
    let expected = [
      [Sample.link("child", to: "x")], [Sample.link("leaf", to: "x", .parent)],
      [Sample.link("other", to: "x")], [], [],
    ]
    try expect(found, expected)
  }

  /// Those that are missing are not missed.
  static func linksAreRemoved(_ store: any Store) async throws {
    let links = ["a", "b"].map { Sample.link($0, to: "x") }
    for _ in 0..<2 { try await store.change(adding: Sample.rows(links: links)) }
    let gone = [links[0], Sample.link("never", to: "x"), Sample.link("b", to: "x", .parent)]
    for _ in 0..<2 { try await store.change(removing: Sample.rows(links: gone)) }
    let found = try await store.read { (body) throws(ServerError) in
      try body.links(.deleteSelf, to: ["x"], in: try body.existing("Notes"), limit: 9)
    }
    try expect(found, [links[1]])
  }

  /// Seen by asking for the old zone, whose number no other gets.
  static func linksArePurged(_ store: any Store) async throws {
    let rows = Sample.rows(links: [
      Sample.link("a", to: "x"), Sample.link("b", to: "x", .parent),
    ])
    try await store.change(adding: rows)
    let counts = try await store.write { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      try body.deleteZone(zone)
      var counts: [Int] = []
      for _ in 0..<2 {
        for kind in LinkKind.allCases {
          counts.append(try body.links(kind, to: ["x"], in: zone, limit: 9).count)
        }
        try body.purge(limit: 100, rows: rows)
      }
      return counts
    }
    try expect(counts, [1, 1, 0, 0])
  }

  /// Names are compared by their bytes.
  static func liveNamesExist(_ store: any Store) async throws {
    let names = (0..<45).map { "r\($0)" } + ["é"]
    try await store.save(names, inZone: "Notes")
    try await store.save(["elsewhere"], inZone: "Other")
    try await store.write { (body) throws(ServerError) in
      try body.delete("r7", in: try body.existing("Notes"))
    }
    let (all, one, none) = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      return (
        try body.existing(names + names + ["e\u{301}", "elsewhere", "never"], in: zone),
        try body.existing(["r3"], in: zone), try body.existing([], in: zone)
      )
    }
    try expect(all, Set(names.filter { $0 != "r7" }.map(ExactName.init)))
    try expect(one, [ExactName("r3")])
    try expect(none, [])
  }

  private static func cascade(_ target: String, in zone: StoredZone) -> UnfinishedCascade {
    UnfinishedCascade(
      zone: zone, target: target, userRecordName: "_\(target)", deviceID: "of \(target)")
  }

  /// Over all databases; a change of the zone since is seen.
  static func cascadesAreOrdered(_ store: any Store) async throws {
    let places = [("z", "Notes", Sample.bob), ("a", "Notes", Sample.ann), ("m", "A", .public)]
    for (target, zone, database) in places {
      try await store.write { (body) throws(ServerError) in
        try body.addCascade(cascade(target, in: try body.someZone(zone, in: database)))
      }
    }
    let (found, expected, two) = try await store.write { (body) throws(ServerError) in
      var expected: [UnfinishedCascade] = []
      for (target, name, database) in places {
        let zone = try body.existing(name, in: database)
        try body.save(["one"], in: zone)
        let newest = try body.existing(name, in: database)
        try body.apply(ChangeSet(zone: newest, records: [], clientChangeToken: target))
        expected.append(cascade(target, in: try body.existing(name, in: database)))
      }
      return (
        try body.unfinishedCascades(limit: 9), expected, try body.unfinishedCascades(limit: 2)
      )
    }
    try expect(found, expected)
    try expect(two, Array(expected.prefix(2)))
  }

  /// Finishing it twice is no fault: two sweeps may have seen it.
  static func cascadesAreFinished(_ store: any Store) async throws {
    let found = try await store.write { (body) throws(ServerError) in
      let notes = try body.someZone("Notes")
      let other = try body.someZone("Other")
      for target in ["x", "y"] { try body.addCascade(cascade(target, in: notes)) }
      try body.addCascade(cascade("x", in: other))
      for _ in 0..<2 { try body.finishCascade(cascade("x", in: notes)) }
      return try body.unfinishedCascades(limit: 9).map { "\($0.zone.name)/\($0.target)" }
    }
    try expect(found, ["Notes/y", "Other/x"])
  }

  /// Who deleted the record first is named in the tombstones.
  static func cascadesAreAddedOnce(_ store: any Store) async throws {
    let found = try await store.write { (body) throws(ServerError) in
      let zone = try body.someZone("Notes")
      try body.addCascade(cascade("x", in: zone))
      try body.addCascade(
        UnfinishedCascade(zone: zone, target: "x", userRecordName: "_late", deviceID: "late"))
      return try body.unfinishedCascades(limit: 9)
    }
    try expect(found.map(\.userRecordName), ["_x"])
    try expect(found.map(\.deviceID), ["of x"])
  }

  /// Before the purge and after it; a zone of the same name has its own.
  static func deadCascadesAreLeftOut(_ store: any Store) async throws {
    try await store.save(["one"], inZone: "Gone")
    let found = try await store.write { (body) throws(ServerError) in
      let gone = try body.existing("Gone")
      try body.addCascade(cascade("old", in: gone))
      try body.deleteZone(gone)
      try body.addCascade(cascade("new", in: try body.createZone(named: "Gone", in: Sample.ann)))
      let before = try body.unfinishedCascades(limit: 1).map(\.target)
      try body.purge(limit: 100)
      return [before, try body.unfinishedCascades(limit: 9).map(\.target)]
    }
    try expect(found, [["new"], ["new"]])
  }
}
