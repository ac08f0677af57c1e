import Foundation
import HTTPTypes
import NIOCore
import StratusDomain

/// Requests that listen for notifications: a stream ends the connection's use for anything else;
/// after a poll it goes on.
extension ConnectionGate {
  func admit(_ request: HTTPRequest) {
    guard let loop else { return }
    phase = .admitting(request)
    stopWaiting()
    Task { [router, clientAddress] in
      let answer = await router.listen(request, from: clientAddress)
      loop.execute { self.admitted(answer) }
    }
  }

  private func admitted(_ answer: ListeningAnswer) {
    guard let context, context.channel.isActive, case .admitting = phase else { return }
    switch answer {
    case .refusal(let head, let body): self.answer(head, body)
    case .poll(let head, let devices, let deadline):
      if isEnding { return self.answer(head, []) }
      let listener = PollListener(
        lane: lane, gate: self, hub: router.hub, head: head, devices: devices)
      phase = .polling(listener)
      router.hub.join(listener, as: devices, until: deadline)
    case .stream(let head, let device, let seat):
      let listener = StreamListener(
        lane: lane, gate: self, hub: router.hub, device: device, seat: seat)
      phase = .streaming(listener)
      openStream(head, listener, context)
    }
  }

  /// Answers a request that listened; then the connection goes on with what arrived meanwhile.
  ///
  /// - Parameter whenWritten: called once the system has all of it.
  func answer(
    _ head: HTTPResponse, _ body: [UInt8], whenWritten: (@Sendable () -> Void)? = nil
  ) {
    guard let loop else { return }
    let promise = whenWritten.map { written in
      let promise = loop.makePromise(of: Void.self)
      promise.futureResult.whenSuccess(written)
      return promise
    }
    phase = .answering
    write(head, body, length: body.count, whenWritten: promise)
    finishAnswer()
  }

  /// How long what is written to a stream may lie there unconfirmed before the client is gone.
  private static let unheardMillisecondsMax = 60_000

  /// Takes HTTP off the connection, and begins to write events.
  private func openStream(
    _ head: HTTPResponse, _ listener: StreamListener, _ context: ChannelHandlerContext
  ) {
    let removals = plumbing.map { handler in
      let promise = context.eventLoop.makePromise(of: Void.self)
      context.pipeline.syncOperations.removeHandler(handler, promise: promise)
      return promise.futureResult
    }
    plumbing = []
    dropHeld()
    resumeReading()
    let opening = StreamHead.bytes(head, date: dates.text(at: router.ambient.now()))
    EventLoopFuture.andAllComplete(removals, on: context.eventLoop).assumeIsolated().whenComplete {
      _ in
      guard let context = self.context, context.channel.isActive,
        case .streaming(let current) = self.phase, current === listener
      else { return }
      if self.isEnding { return context.close(promise: nil) }
      // NB: signs of life are so few bytes that they fill nothing: without this, a client that
      // vanished would be noticed after a quarter of an hour.
      try? context.channel.syncOptions?.setOption(
        .tcpOption(.init(rawValue: TCP_USER_TIMEOUT)), value: Self.unheardMillisecondsMax)
      context.writeAndFlush(self.wrapOutboundOut(opening), promise: nil)
      listener.join()
    }
  }

  /// Writes bytes of a stream.
  ///
  /// - Returns: whether the client takes them as fast as they come.
  func write(_ bytes: ByteBuffer) -> Bool {
    guard let context else { return true }
    context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    return context.channel.isWritable
  }

  /// Writes the last bytes of a stream, and closes.
  func end(with bytes: ByteBuffer) {
    guard let context else { return }
    // NB: has the bytes leave together with the connection's end: when a server ends, thousands do.
    try? context.channel.syncOptions?.setOption(.tcpOption(.init(rawValue: TCP_CORK)), value: 1)
    context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    context.close(promise: nil)
  }

  func close() { context?.close(promise: nil) }
}
