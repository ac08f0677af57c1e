import StratusDomain
import StratusWire

/// The checks of asset stores with a mark that names the owner of the files.
extension AssetStoreConformance {
  static let markChecks: [Check] = [
    Check("the first installation that claims the files owns them", firstClaimsWin),
    Check("another installation can take the files over", ownersAreReplaced),
    Check("no list and no sweep of uploads finds the mark of the owner", marksAreHidden),
  ]

  /// Fails the check unless the call reports that the files belong to `owner`.
  private static func expectOwner(
    _ owner: String, _ body: () async throws(ServerError) -> Void
  ) async throws {
    var found: String?
    do throws(ServerError) { try await body() } catch { found = error.facts["owner"] }
    try expect(found, owner)
  }

  private static func owners(
    of store: any AssetStore
  ) throws -> (one: AssetOwner, other: AssetOwner) {
    let mark = try expectSome(store.ownerMark)
    return (
      AssetOwner(mark, installationID: "one"), AssetOwner(mark, installationID: "other")
    )
  }

  private static func firstClaimsWin(_ store: any AssetStore) async throws {
    let (one, other) = try owners(of: store)
    try expect(try await one.ownerID(), nil)
    for _ in 0..<2 {
      try await one.claim()
      try await one.require()
      try await expectOwner("one") { () async throws(ServerError) in try await other.claim() }
      try await expectOwner("one") { () async throws(ServerError) in try await other.require() }
    }
  }

  private static func ownersAreReplaced(_ store: any AssetStore) async throws {
    let (one, other) = try owners(of: store)
    try await one.claim()
    try await other.take()
    try await other.require()
    try await expectOwner("other") { () async throws(ServerError) in try await one.require() }
    try await expectOwner("other") { () async throws(ServerError) in try await one.claim() }
  }

  private static func marksAreHidden(_ store: any AssetStore) async throws {
    let (one, _) = try owners(of: store)
    try await one.claim()
    for place in [address, Self.other] {
      try expect(try await store.files(at: place, after: nil, limit: 9), [])
      try await store.discardUploads(at: place, untouchedSince: .max)
    }
    try await one.require()
  }
}
