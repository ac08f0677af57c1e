import Foundation
import StratusWire
import Testing

@testable import StratusDomain

/// Change tokens, as clients store them.
@Suite struct ChangeTokens {
  private let token = ChangeToken(subject: .zone, epoch: 1_234_567, incarnation: 42, change: 7)

  private func reason(_ body: () throws(ServerError) -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      #expect(error.code == .badRequest)
      return error.reason
    }
  }

  @Test func `a token decodes to the encoded values`() throws {
    #expect(try ChangeToken(text: token.text) == token)
    var reversed = ChangeToken(subject: .reversedZone, epoch: -1, incarnation: 42, change: 3)
    reversed.before = 9
    reversed.top = 12
    #expect(try ChangeToken(text: reversed.text) == reversed)
    for first in [token, reversed] {
      var first = first
      first.began = 20
      #expect(try ChangeToken(text: first.text) == first)
    }
  }

  @Test
  func `a participant's token decodes to the encoded values, and differs from the owner's token`()
    throws
  {
    for subject in [ChangeToken.Subject.zone, .reversedZone] {
      var token = ChangeToken(subject: subject, epoch: 5, incarnation: 42, change: 7)
      let owners = token.text
      token.participation = 3
      (token.joined, token.caughtUp, token.catchingUpOn) = (4, 2, 6)
      token.began = 9
      #expect(try ChangeToken(text: token.text) == token)
      #expect(token.text != owners)
      #expect(try ChangeToken(text: owners).participation == 0)
    }
  }

  @Test func `a token from another participation is expired`() {
    var token = token
    token.participation = 3
    for participation: Int64 in [0, 2, 4] {
      #expect(
        reason { () throws(ServerError) in
          try token.check(
            epoch: 1_234_567, incarnation: 42, newest: 7, participation: participation)
        } == "sync token expired")
    }
    #expect(
      reason { () throws(ServerError) in
        try token.check(epoch: 1_234_567, incarnation: 42, newest: 7, participation: 3)
      } == nil)
  }

  /// The expected values are FNV-1a hashes that another program computed: of no bytes for the
  /// public database, and of the owner's record name for a private database.
  @Test
  func `a database's fingerprint is the same in all releases, because stored tokens contain it`() {
    #expect(DatabaseView.public.fingerprint == -3_750_763_034_362_895_579)
    #expect(DatabaseView.private(user: "_ann").fingerprint == 6_794_826_019_536_947_109)
  }

  @Test func `a user's private and shared databases have different fingerprints`() {
    #expect(
      DatabaseView.private(user: "_ann").fingerprint
        != DatabaseView.shared(user: "_ann").fingerprint)
  }

  @Test func `the text of a token is standard base64 with padding`() {
    for change in Int64(0)..<300 {
      var token = token
      token.change = change
      #expect(Data(base64Encoded: token.text)?.base64EncodedString() == token.text)
    }
  }

  @Test func `a token of another epoch or incarnation is expired`() {
    #expect(
      reason { () throws(ServerError) in
        try token.check(epoch: 1, incarnation: 42, newest: 7)
      } == "sync token expired")
    #expect(
      reason { () throws(ServerError) in
        try token.check(epoch: 1_234_567, incarnation: 43, newest: 7)
      } == "sync token expired")
  }

  @Test func `a token with a number above the newest change is invalid`() {
    #expect(
      reason { () throws(ServerError) in
        try token.check(epoch: 1_234_567, incarnation: 42, newest: 6)
      } == "invalid sync token")
  }

  @Test func `a token expires when a tombstone newer than the token is removed`() {
    #expect(
      reason { () throws(ServerError) in
        try token.check(epoch: 1_234_567, incarnation: 42, newest: 9, forgotten: 7)
      } == nil)
    #expect(
      reason { () throws(ServerError) in
        try token.check(epoch: 1_234_567, incarnation: 42, newest: 9, forgotten: 8)
      } == "sync token expired")
  }

  @Test
  func `a first sync's token expires only if a tombstone newer than the sync's start is removed`() {
    var first = token
    first.began = 9
    for (forgotten, expected) in [(Int64(9), nil), (10, "sync token expired")] {
      let found = reason { () throws(ServerError) in
        try first.check(epoch: 1_234_567, incarnation: 42, newest: 12, forgotten: forgotten)
      }
      #expect(found == expected)
    }
    let future = reason { () throws(ServerError) in
      try first.check(epoch: 1_234_567, incarnation: 42, newest: 8)
    }
    #expect(future == "invalid sync token")
  }

  @Test func `a change token of the newest change is valid`() {
    #expect(
      reason { () throws(ServerError) in
        try token.check(epoch: 1_234_567, incarnation: 42, newest: 7)
      } == nil)
  }

  @Test(arguments: [
    "", "AA==", "rubbish!", "AQEAAAAA", "null", "1", String(repeating: "A", count: 10_000),
  ])
  func `a malformed text is refused as a change token`(text: String) {
    let found = reason { () throws(ServerError) in _ = try ChangeToken(text: text) }
    #expect(found == "invalid sync token")
  }

  @Test func `random bytes never decode to a valid token`() {
    let seed: UInt64 = 20_260_101
    var chance = Chance(seed: seed)
    for round in 0..<2_000 {
      let count = [0, 1, 25, 26, 26, 34, 41, 42, 50, 51][Int(chance.next() % 10)]
      var bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
      if count > 1, round.isMultiple(of: 2) { bytes.replaceSubrange(0..<2, with: [1, 1]) }
      let text = Data(bytes).base64EncodedString()
      let found = reason { () throws(ServerError) in
        try ChangeToken(text: text).check(epoch: 1_234_567, incarnation: 42, newest: 7)
      }
      #expect(found != nil, "seed \(seed), round \(round): \(text)")
    }
  }

  @Test func `the databases of a store have different fingerprints`() {
    let keys: [DatabaseView] = [
      .public, .private(user: Situation.anna), .private(user: Situation.bea),
      .shared(user: Situation.anna),
    ]
    #expect(Set(keys.map(\.fingerprint)).count == keys.count)
  }
}

/// A random number generator with a seed (SplitMix64). A failure can be reproduced with the seed.
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
