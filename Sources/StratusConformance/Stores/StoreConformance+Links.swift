import StratusDomain

extension StoreConformance {
  static let linkChecks: [Check] = [
    Check("links are ordered by target and source, up to a limit", linksAreOrdered),
    Check("links to one record are read in pages", linksArePaged),
    Check("links of different kinds or zones do not mix", linksAreApart),
    Check("a removed link is gone, and a link added twice counts once", linksAreRemoved),
    Check("links of a deleted zone are purged", linksArePurged),
    Check("a lookup of names finds only live records", liveNamesExist),
  ]

  static let cascadeChecks: [Check] = [
    Check(
      "cascades are found oldest first, with the current state of their zones", cascadesAreOrdered),
    Check("finishing a cascade removes only that cascade", cascadesAreFinished),
    Check("a new cascade replaces an earlier one of the same target", cascadesAreReplaced),
    Check("cascades of a zone are found by their targets", cascadesAreFoundByTarget),
    Check("cascades of deleted zones are not listed", deadCascadesAreLeftOut),
    Check("cascades of deleted zones are purged in limited steps", deadCascadesArePurged),
  ]

  /// The links to any number of targets can be read at once. A target that is given twice counts
  /// once.
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

  /// A page begins after a given source, which may have been removed or may never have existed.
  static func linksArePaged(_ store: any Store) async throws {
    let sources = ["1", "2", "2\0", "e\u{301}", "ÿ", "\u{10FFFF}"]
    try await store.change(
      adding: Sample.rows(links: sources.map { Sample.link($0, to: "x") }))
    try await store.change(adding: Sample.rows(links: [Sample.link("3", to: "x", .parent)]))
    let pages = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      func page(_ source: String?, _ limit: Int) throws(ServerError) -> [String] {
        try body.links(.deleteSelf, to: "x", after: source, in: zone, limit: limit).map(\.source)
      }
      return [
        try page(nil, 2), try page("2", 2), try page("e", 9), try page("\u{10FFFF}", 9),
        try page(nil, 0),
      ]
    }
    let expected = [
      ["1", "2"], ["2\0", "e\u{301}"], ["e\u{301}", "ÿ", "\u{10FFFF}"], [], [],
    ]
    try expect(pages.map { $0.map(ExactName.init) }, expected.map { $0.map(ExactName.init) })
  }

  /// The check also adds links of another kind, in another zone and in another database. All of
  /// them have the same target name.
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

  /// Removing a missing link has no effect.
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

  /// The check uses the number of the deleted zone. No other zone gets this number.
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
      zone: zone, target: target, change: 7, userRecordName: "_\(target)",
      deviceID: "of \(target)")
  }

  /// The list contains the cascades of all databases. Each cascade in the list contains the current
  /// state of its zone.
  static func cascadesAreOrdered(_ store: any Store) async throws {
    let targets = [("z", "Notes", Sample.bob), ("a", "Notes", Sample.ann), ("m", "A", .public)]
    for (target, zone, database) in targets {
      try await store.write { (body) throws(ServerError) in
        try body.addCascade(cascade(target, in: try body.someZone(zone, in: database)))
      }
    }
    let (found, expected, two) = try await store.write { (body) throws(ServerError) in
      var expected: [UnfinishedCascade] = []
      for (target, name, database) in targets {
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

  /// A cascade may be finished twice, because two sweeps may have read the same cascade.
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

  /// In the list, the new cascade has the place of the cascade that it replaces.
  static func cascadesAreReplaced(_ store: any Store) async throws {
    let (found, expected) = try await store.write { (body) throws(ServerError) in
      let zone = try body.someZone("Notes")
      for target in ["x", "y"] { try body.addCascade(cascade(target, in: zone)) }
      let later = UnfinishedCascade(
        zone: zone, target: "x", change: 9, cursor: "é\0", userRecordName: "_late",
        deviceID: "late")
      try body.addCascade(later)
      return (try body.unfinishedCascades(limit: 9), [later, cascade("y", in: zone)])
    }
    try expect(found, expected)
    try expect(found.first?.cursor, "é\0")
  }

  /// Target names are compared by their bytes. Cascades of one zone are not found in another zone,
  /// nor in a new zone with the name of a deleted one.
  static func cascadesAreFoundByTarget(_ store: any Store) async throws {
    let targets = (0..<45).map { "r\($0)" } + ["é"]
    try await store.save(["one"], inZone: "Notes")
    let (before, found, other) = try await store.write { (body) throws(ServerError) in
      let zone = try body.someZone("Notes")
      let other = try body.someZone("Other")
      let before = try body.hasUnfinishedCascades(in: zone)
      for target in targets { try body.addCascade(cascade(target, in: zone)) }
      let found = try body.unfinishedCascades(
        of: targets.dropFirst() + ["e\u{301}", "never"], in: zone)
      let after = try body.hasUnfinishedCascades(in: zone)
      let isElsewhere = try body.hasUnfinishedCascades(in: other)
      let elsewhere = try body.unfinishedCascades(of: targets, in: other)
      return (
        before || !after, found.map(\.target), isElsewhere || !elsewhere.isEmpty
      )
    }
    try expect(before, false)
    try expect(Set(found.map(ExactName.init)), Set(targets.dropFirst().map(ExactName.init)))
    try expect(other, false)
    let (remade, purged) = try await store.write { (body) throws(ServerError) in
      let gone = try body.existing("Notes")
      try body.deleteZone(gone)
      let new = try body.createZone(named: "Notes", in: Sample.ann)
      let hasAny = try body.hasUnfinishedCascades(in: new)
      let remade = try body.unfinishedCascades(of: targets, in: new)
      while try body.purge(limit: 100) != nil {}
      return (hasAny || !remade.isEmpty, try body.unfinishedCascades(of: targets, in: gone).count)
    }
    try expect(remade, false)
    try expect(purged, 0)
  }

  /// The check runs before and after the purge. A new zone with the same name has its own cascades.
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

  /// The check compares the number of records that each step removes, and whether any cascades
  /// remain after the step.
  static func deadCascadesArePurged(_ store: any Store) async throws {
    try await store.save(["one"], inZone: "Gone")
    let found = try await store.write { (body) throws(ServerError) in
      let gone = try body.existing("Gone")
      for number in 0..<1_500 { try body.addCascade(cascade("\(number)", in: gone)) }
      try body.deleteZone(gone)
      var steps: [[Int]] = []
      while let removed = try body.purge(limit: 100) {
        let isLeft = try body.hasUnfinishedCascades(in: gone)
        steps.append([removed, isLeft ? 1 : 0])
      }
      return steps
    }
    try expect(found, [[1, 1], [0, 0]])
  }
}
