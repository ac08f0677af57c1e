import NIOCore
import StratusDomain
import StratusWire
import Synchronization
import Testing

@testable import StratusHTTP

/// A request body on its way from a connection to an endpoint.
@Suite(.timeLimit(.minutes(15))) struct `The intake of a request body` {
  private static let piece = ByteBuffer(repeating: 1, count: Limits.bodyAheadBytesMax / 8)

  private final class Calls: Sendable {
    let drains = Atomic(0)
  }

  private static func intake(_ calls: Calls) -> BodyIntake {
    BodyIntake(length: nil, waitsForConsent: false, whenWanted: {}) {
      calls.drains.add(1, ordering: .relaxed)
    }
  }

  @Test
  func `a body intake with a full buffer pauses the connection until the buffer is half empty`()
    async throws
  {
    let calls = Calls()
    let intake = Self.intake(calls)
    for _ in 0..<7 { #expect(intake.push(Self.piece)) }
    #expect(!intake.push(Self.piece))
    let pieces = intake.pieces()
    _ = try await pieces.next()
    // A chunk that was decoded before the pause still arrives, and does not end the pause.
    #expect(!intake.push(Self.piece))
    while calls.drains.load(ordering: .relaxed) == 0 { _ = try await pieces.next() }
    #expect(intake.push(Self.piece))
    intake.end()
    var left = 0
    while try await pieces.next() != nil { left += 1 }
    #expect(left == 4, "the rest of the half buffer, and the last chunk")
    #expect(calls.drains.load(ordering: .relaxed) == 1)
  }

  @Test func `a failed body intake delivers the bytes that arrived before the failure, then fails`()
    async throws
  {
    let intake = Self.intake(Calls())
    _ = intake.push(Self.piece)
    intake.fail(BodyIntake.endedEarly)
    intake.end()
    let pieces = intake.pieces()
    _ = try await pieces.next()
    await #expect(throws: BodyIntake.endedEarly) { _ = try await pieces.next() }
  }

  @Test func `a request body that is too large is read to its end, then refused`() async throws {
    let intake = Self.intake(Calls())
    let count = Limits.requestSizeBytesMax / Self.piece.readableBytes + 1
    for _ in 0..<count { _ = intake.push(Self.piece) }
    intake.end()
    await #expect(throws: ServerError.badRequest(Reason.requestTooLarge)) {
      _ = try await intake.bytes()
    }
  }
}
