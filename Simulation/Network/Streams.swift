import Foundation
import HTTPTypes
import StratusHTTP
import StratusTransport

/// Carries a device's notification stream from the server process that runs when the stream is
/// opened.
extension Network: EventExchange {
  func open(
    _ request: StratusTransport.HTTPRequest
  ) async throws(NetworkFailure) -> EventAnswer {
    if !life.goesOn() || Task.isCancelled { throw .cancelled }
    await travel()
    if mishaps.happens(\.lostRequest) {
      await stall()
      throw life.isOver ? .cancelled : .lostBeforeSending
    }
    guard let server = cloud.process, !server.life.isOver else { throw .lostBeforeSending }
    let sent = await server.open(head(of: request, method: .get))
    await travel()
    if let failure = await failure(server) {
      sent.close()
      throw failure
    }
    let stream = SimulatedStream(sent, life: life, mishaps: mishaps)
    server.life.atEnd { [weak stream] in stream?.end(.failure(.lostAfterSending)) }
    return EventAnswer(
      status: sent.head.status.code, headers: Self.headers(of: sent.head), body: stream)
  }

  /// Returns the failure of a request for a stream before an answer begins. Returns nil if the
  /// request does not fail.
  private func failure(_ server: ServerProcess) async -> NetworkFailure? {
    if !life.goesOn() { return .cancelled }
    if server.life.isOver { return .lostAfterSending }
    guard mishaps.happens(\.lostAnswer) else { return nil }
    await stall()
    return life.isOver ? .cancelled : .timedOut
  }
}

/// A connection that carries notifications as TCP does: completely and in order, until it breaks.
/// When it breaks, the bytes in transit are lost. In some cases, the device notices the break only
/// after a long silence.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class SimulatedStream: EventBody, @unchecked Sendable {
  private let sent: ServerStream
  private let life: Life
  private let mishaps: Mishaps
  private var arrived: [[UInt8]] = []
  private var ending: Result<Void, NetworkFailure>?
  private var reader: UnsafeContinuation<Void, Never>?
  private var carrier: Task<Void, Never>?

  /// The number of seconds after which a device notices that a silent connection is broken.
  private static let silenceSeconds = 60.0

  init(_ sent: ServerStream, life: Life, mishaps: Mishaps) {
    self.sent = sent
    self.life = life
    self.mishaps = mishaps
    carrier = Task { [weak self, mishaps] in
      for await event in sent.events {
        try? await Loop.shared.sleep(mishaps.travelSeconds(slow: \.slowNotification))
        guard let self, ending == nil else { return }
        if mishaps.happens(\.lostNotification) { return breakDown() }
        if mishaps.happens(\.repeatedNotification) { arrived.append(event) }
        arrived.append(event)
        wake()
      }
      self?.end(.success(()))
    }
  }

  private func breakDown() {
    guard mishaps.isUnnoticed() else { return end(.failure(.lostAfterSending)) }
    Loop.shared.after(Self.silenceSeconds) { [weak self] in self?.end(.failure(.timedOut)) }
  }

  /// Ends the connection. The device still receives the bytes that have arrived.
  func end(_ ending: Result<Void, NetworkFailure>) {
    self.ending = self.ending ?? ending
    carrier?.cancel()
    sent.close()
    wake()
  }

  private func wake() {
    let waiting = reader
    reader = nil
    waiting?.resume()
  }

  func next() async throws(NetworkFailure) -> [UInt8]? {
    while true {
      if !life.goesOn() || Task.isCancelled { throw .cancelled }
      if !arrived.isEmpty { return arrived.removeFirst() }
      if let ending {
        try ending.get()
        return nil
      }
      await withTaskCancellationHandler {
        await withUnsafeContinuation { continuation in
          reader = continuation
          if Task.isCancelled { wake() }
        }
      } onCancel: {
        wake()
      }
    }
  }

  func close() { end(.failure(.cancelled)) }

  deinit { sent.close() }
}
