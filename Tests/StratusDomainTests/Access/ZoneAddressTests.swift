import StratusWire
import Testing

@testable import StratusDomain

/// The stored zone that a request's zone ID refers to, in each database.
@Suite struct ZoneAddresses {
  private static let ann = "_ann"
  private static let bob = "_bob"

  private func address(
    _ zoneName: String?, of owner: String?, in view: DatabaseView
  ) -> ZoneAddress? {
    let zoneID = zoneName.map { ZoneID(zoneName: $0, ownerRecordName: owner) }
    let database = OpenDatabase.inTest(view, user: Self.ann)
    do throws(ServerError) { return try database.zoneAddress(zoneID) } catch {
      #expect(error.code == .zoneNotFound)
      return nil
    }
  }

  @Test func `a zone ID without an owner refers to the caller's own zone`() {
    let own = ZoneAddress(database: .private(owner: Self.ann), name: "Z")
    #expect(address("Z", of: nil, in: .private(user: Self.ann)) == own)
    #expect(address("Z", of: Self.ann, in: .private(user: Self.ann)) == own)
    #expect(address("Z", of: Self.bob, in: .private(user: Self.ann)) == nil)
  }

  @Test func `a missing zone ID refers to the default zone, except in the shared database`() {
    #expect(address(nil, of: nil, in: .private(user: Self.ann))?.isDefault == true)
    #expect(address(nil, of: nil, in: .public)?.isDefault == true)
    #expect(address(nil, of: nil, in: .shared(user: Self.ann)) == nil)
  }

  @Test func `a zone of the shared database is in its owner's private database`() {
    let foreign = ZoneAddress(database: .private(owner: Self.bob), name: "Z")
    #expect(address("Z", of: Self.bob, in: .shared(user: Self.ann)) == foreign)
    #expect(address("Z", of: Self.ann, in: .shared(user: Self.ann)) == nil)
    #expect(address("Z", of: nil, in: .shared(user: Self.ann)) == nil)
  }

  @Test func `zone names are compared byte for byte`() {
    let composed = ZoneAddress(database: .public, name: "\u{E9}")
    let decomposed = ZoneAddress(database: .public, name: "e\u{301}")
    #expect(composed != decomposed)
  }
}
