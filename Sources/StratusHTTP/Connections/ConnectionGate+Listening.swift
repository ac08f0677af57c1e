import Foundation
import HTTPTypes
import NIOCore
import StratusDomain

/// Serves requests that listen for notifications. After a stream, the connection closes. After a
/// long poll, the connection accepts further requests.
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
        group: group, gate: self, hub: router.hub, head: head, devices: devices)
      phase = .polling(listener)
      router.hub.join(listener, as: devices, until: deadline)
    case .stream(let head, let device, let slot):
      let listener = StreamListener(
        group: group, gate: self, hub: router.hub, device: device, slot: slot)
      phase = .streaming(listener)
      openStream(head, listener, context)
    }
  }

  /// Answers a long poll, or refuses a request to listen. The connection then continues with the
  /// requests that have arrived in the meantime.
  ///
  /// - Parameter whenWritten: is called when the system has accepted all bytes.
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

  /// The number of milliseconds for which a client may leave bytes of a stream unacknowledged.
  /// After this time, the system closes the connection.
  private static let unheardMillisecondsMax = 60_000

  /// Removes the HTTP handlers from the connection and writes the first bytes of a stream.
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
      // NB: heartbeats are too small to fill a buffer. Without this option, the server would notice
      // only after a quarter of an hour that a client has vanished.
      try? context.channel.syncOptions?.setOption(
        .tcpOption(.init(rawValue: TCP_USER_TIMEOUT)), value: Self.unheardMillisecondsMax)
      context.writeAndFlush(self.wrapOutboundOut(opening), promise: nil)
      listener.join()
    }
  }

  /// Writes bytes of a notification stream.
  ///
  /// - Returns: whether the client reads bytes as fast as they are written.
  func write(_ bytes: ByteBuffer) -> Bool {
    guard let context else { return true }
    context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    return context.channel.isWritable
  }

  /// Writes the last bytes of a stream, and closes the connection.
  func end(with bytes: ByteBuffer) {
    guard let context else { return }
    // NB: the option makes the system send the last bytes and the end of the connection together.
    // This saves packets when a stopping server closes thousands of streams.
    try? context.channel.syncOptions?.setOption(.tcpOption(.init(rawValue: TCP_CORK)), value: 1)
    context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    context.close(promise: nil)
  }

  func close() { context?.close(promise: nil) }
}
