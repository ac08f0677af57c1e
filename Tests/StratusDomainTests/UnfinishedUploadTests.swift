import Foundation
import StratusWire
import Testing

@testable import StratusDomain

/// The sums of the bytes of unfinished uploads.
@Suite struct UnfinishedUploads {
  private static let perUserMax: Int64 = 1_000
  private static let perStoreMax: Int64 = 2_500
  private static let day: Int64 = 24 * 3_600_000

  private let unheld = UnheldBytes(perUserMax: perUserMax, perStoreMax: perStoreMax)

  @Test func `an upload fits if the sums of its user and of its store stay within the limits`() {
    let seed =
      ProcessInfo.processInfo.environment["STRATUS_SEED"].flatMap { UInt64($0) }
      ?? UInt64.random(in: 1...99_999)
    var chance = Chance(seed: seed)
    // The bytes of each upload after its last accepted note.
    var received: [UploadTicket: Int64] = [:]
    for step in 0..<4_000 {
      let number = Int.random(in: 0..<12, using: &chance)
      let ticket = ticket("\(number)", user: "_\(number % 5)", container: "iCloud.\(number % 2)")
      if Int.random(in: 0..<8, using: &chance) == 0 {
        unheld.finish(ticket, size: 0)
        received[ticket] = nil
        continue
      }
      let bytes = Int64.random(in: 1...1_100, using: &chance)
      let others = received.filter { $0.key != ticket && $0.key.address == ticket.address }
      let ofUser = others.filter { $0.key.user == ticket.user }.values.reduce(0, +)
      let ofStore = others.values.reduce(0, +)
      let fits = ofUser + bytes <= Self.perUserMax && ofStore + bytes <= Self.perStoreMax
      #expect(isNoted(bytes, of: ticket) == fits, "STRATUS_SEED=\(seed), step \(step)")
      if fits { received[ticket] = bytes }
    }
  }

  @Test func `an upload that was idle for a day no longer counts`() async {
    let idle = ticket("1", user: "_a", container: "iCloud.a")
    let other = ticket("2", user: "_a", container: "iCloud.a")
    #expect(isNoted(Self.perUserMax, of: idle))
    // NB: uploads are forgotten when another one begins, and this store cannot be read.
    try? await unheld.admit(other, store: NoStore(), now: Self.day - 60_000)
    #expect(!isNoted(1, of: other))
    try? await unheld.admit(other, store: NoStore(), now: Self.day)
    #expect(isNoted(1, of: other))
  }

  private func isNoted(_ bytes: Int64, of ticket: UploadTicket) -> Bool {
    do throws(ServerError) {
      try unheld.note(bytes, of: ticket, now: 0)
      return true
    } catch {
      return false
    }
  }

  private func ticket(_ id: String, user: String, container: String) -> UploadTicket {
    UploadTicket(
      address: StoreAddress(container: container, environment: .production), database: .public,
      id: id, user: user, issued: 0)
  }
}
