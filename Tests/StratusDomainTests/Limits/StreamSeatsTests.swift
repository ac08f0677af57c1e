import StratusWire
import Testing

@testable import StratusDomain

@Suite struct `The streams of a user` {
  @Test func `are limited at one time for each user`() throws {
    let seats = StreamSeats(countMax: 2)
    var first: StreamSeat? = try seats.take("_ann")
    let second = try seats.take("_ann")
    let error = #expect(throws: ServerError.self) { _ = try seats.take("_ann") }
    #expect(error?.code == .throttled)
    #expect(error?.reason == LimitRule.streamsPerUser.reason)
    #expect(error?.retryAfterSeconds == 60)
    let others = try seats.take("_bob")
    #expect(seats.usersCount == 2)
    withExtendedLifetime(first) {}
    first = nil
    withExtendedLifetime((try seats.take("_ann"), second, others)) {}
  }

  @Test func `leave no entry when they have ended`() throws {
    let seats = StreamSeats(countMax: 1)
    for _ in 0..<3 { withExtendedLifetime(try seats.take("_ann")) {} }
    #expect(seats.usersCount == 0)
  }

  @Test func `are not limited without a setting`() throws {
    let seats = StreamSeats(countMax: nil)
    let taken = try (0..<1_000).map { _ in try seats.take("_ann") }
    #expect(taken.count == 1_000)
  }
}
