import StratusWire
import Testing

@testable import StratusDomain

@Suite struct `The streams of a user` {
  @Test func `each user has a maximum number of simultaneous streams`() throws {
    let slots = StreamSlots(countMax: 2)
    var first: StreamSlot? = try slots.take("_ann")
    let second = try slots.take("_ann")
    let error = #expect(throws: ServerError.self) { _ = try slots.take("_ann") }
    #expect(error?.code == .throttled)
    #expect(error?.reason == LimitRule.streamsPerUser.reason)
    #expect(error?.retryAfterSeconds == 60)
    let others = try slots.take("_bob")
    #expect(slots.usersCount == 2)
    withExtendedLifetime(first) {}
    first = nil
    withExtendedLifetime((try slots.take("_ann"), second, others)) {}
  }

  @Test func `an ended stream leaves no entry for its user`() throws {
    let slots = StreamSlots(countMax: 1)
    for _ in 0..<3 { withExtendedLifetime(try slots.take("_ann")) {} }
    #expect(slots.usersCount == 0)
  }

  @Test func `without a setting, the number of a user's streams is not limited`() throws {
    let slots = StreamSlots(countMax: nil)
    let taken = try (0..<1_000).map { _ in try slots.take("_ann") }
    #expect(taken.count == 1_000)
  }
}
