import NIOCore
import StratusDomain
import StratusWire
import Synchronization

/// A request body that an endpoint reads while the body arrives.
///
/// The connection adds the received pieces. It stops reading from the socket while too many bytes
/// wait for the endpoint.
final class BodyIntake: SentBody {
  private typealias Outcome = Result<[UInt8]?, ServerError>
  private typealias Waiter = CheckedContinuation<Outcome, Never>

  private struct State {
    var pieces: [[UInt8]] = []
    /// The index of the first element of ``pieces`` that the endpoint has not taken.
    var next = 0
    var waitingBytes = 0
    var isPaused = false
    var isWanted = false
    var end: Outcome?
    var waiter: Waiter?

    mutating func takeWaiter() -> Waiter? {
      defer { waiter = nil }
      return waiter
    }
  }

  /// The length of the body as the head states it, or nil if the head does not state it.
  private let length: Int?
  /// Whether the client waits for `100 Continue` before it sends the body.
  private let waitsForConsent: Bool
  private let state = Mutex(State())
  /// Is called when the endpoint requests the first bytes.
  private let whenWanted: @Sendable () -> Void
  /// Is called when the buffer has capacity again.
  private let whenDrained: @Sendable () -> Void

  init(
    length: Int?, waitsForConsent: Bool, whenWanted: @escaping @Sendable () -> Void,
    whenDrained: @escaping @Sendable () -> Void
  ) {
    self.length = length
    self.waitsForConsent = waitsForConsent
    self.whenWanted = whenWanted
    self.whenDrained = whenDrained
  }

  static let endedEarly = ServerError.badRequest("the request body ended early")

  // Methods that the connection calls

  /// Adds a received piece.
  ///
  /// - Returns: whether the buffer has capacity for more bytes.
  func push(_ buffer: ByteBuffer) -> Bool {
    let piece = Array(buffer.readableBytesView)
    let (waiter, hasRoom) = state.withLock { state -> (Waiter?, Bool) in
      if state.end != nil { return (nil, true) }
      if let waiter = state.takeWaiter() { return (waiter, true) }
      state.pieces.append(piece)
      state.waitingBytes += piece.count
      // NB: bytes that were decoded before the pause still arrive here after it has begun. This
      // code must therefore never end a pause. Only the endpoint ends it, by taking pieces.
      if state.waitingBytes >= Limits.bodyAheadBytesMax { state.isPaused = true }
      return (nil, !state.isPaused)
    }
    waiter?.resume(returning: .success(piece))
    return hasRoom
  }

  func end() { finish(.success(nil)) }

  func fail(_ error: ServerError) { finish(.failure(error)) }

  private func finish(_ outcome: Outcome) {
    let waiter = state.withLock { state in
      if state.end == nil { state.end = outcome }
      return state.takeWaiter()
    }
    waiter?.resume(returning: outcome)
  }

  // Methods that the endpoint calls

  func bytes() async throws(ServerError) -> [UInt8] {
    let limit = Limits.requestSizeBytesMax
    let length = length ?? 0
    if length > limit, length > Limits.refusedRequestBytesMax || waitsForConsent {
      throw .badRequest(Reason.requestTooLarge)
    }
    var bytes: [UInt8] = []
    if length <= limit { bytes.reserveCapacity(length) }
    var received = 0
    while let piece = try await next() {
      received += piece.count
      if received > Limits.refusedRequestBytesMax { break }
      if received <= limit, length <= limit { bytes += piece }
    }
    if received > limit { throw .badRequest(Reason.requestTooLarge) }
    return bytes
  }

  func pieces() -> any BodyPieces { Pieces(intake: self) }

  fileprivate func next() async throws(ServerError) -> [UInt8]? {
    let (isFirst, ready) = state.withLock { state -> (Bool, Taken?) in
      defer { state.isWanted = true }
      return (!state.isWanted, take(&state))
    }
    if isFirst { whenWanted() }
    if let ready {
      if ready.isDrained { whenDrained() }
      return try ready.outcome.get()
    }
    let outcome: Outcome = await withCheckedContinuation { continuation in
      let ready = state.withLock { state -> Taken? in
        let ready = take(&state)
        if ready == nil { state.waiter = continuation }
        return ready
      }
      guard let ready else { return }
      if ready.isDrained { whenDrained() }
      continuation.resume(returning: ready.outcome)
    }
    return try outcome.get()
  }

  /// The number of taken pieces after which they are removed from the array.
  private static let takenMax = 64

  private struct Taken {
    let outcome: Outcome
    /// Whether the buffer has capacity again, so that the connection may continue to read.
    let isDrained: Bool
  }

  private func take(_ state: inout State) -> Taken? {
    guard state.next < state.pieces.count else {
      return state.end.map { Taken(outcome: $0, isDrained: false) }
    }
    let piece = state.pieces[state.next]
    state.pieces[state.next] = []
    state.next += 1
    state.waitingBytes -= piece.count
    if state.next == state.pieces.count || state.next >= Self.takenMax {
      state.pieces.removeFirst(state.next)
      state.next = 0
    }
    let isDrained = state.isPaused && state.waitingBytes < Limits.bodyAheadBytesMax / 2
    if isDrained { state.isPaused = false }
    return Taken(outcome: .success(piece), isDrained: isDrained)
  }

  private final class Pieces: BodyPieces {
    private let intake: BodyIntake

    init(intake: BodyIntake) { self.intake = intake }

    func next() async throws(ServerError) -> [UInt8]? { try await intake.next() }
  }
}
