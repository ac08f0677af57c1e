import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import StratusDomain

/// Stands behind the HTTP codec of a connection: keeps requests that listen to itself, and lets
/// others through to Hummingbird, in the order in which they come.
///
/// A stream ends the connection's use for anything else; after a poll it goes on.
final class ConnectionGate: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart
  typealias Ordinary = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

  private enum Phase {
    /// Requests go through.
    case passing
    /// A request that listens has begun.
    case hearing(HTTPRequest)
    /// It waits for the answers before its own.
    case waiting(HTTPRequest)
    /// The router looks at it.
    case admitting(HTTPRequest)
    case polling(PollListener)
    case streaming(StreamListener)
  }

  /// More parts than this a client does not send behind a poll.
  private static let heldPartsMax = 64

  private let router: Router
  private let lane: LoopLane
  private let logger: Logger
  /// What a stream has no need of.
  private var plumbing: [any RemovableChannelHandler]
  let ordinary: EventLoopPromise<Ordinary?>
  private var isOrdinary = false
  private var phase = Phase.passing
  /// Requests whose answers have not ended.
  private var requestsUnderWay = 0
  /// What came behind a request that listens.
  private var held: [HTTPRequestPart] = []
  /// Whether the server ends.
  private var isEnding = false
  /// Whether the connection closes with the next answer of ours.
  private var isLastAnswer = false
  private(set) var context: ChannelHandlerContext?

  init(
    router: Router, lane: LoopLane, plumbing: [any RemovableChannelHandler],
    ordinary: EventLoopPromise<Ordinary?>, logger: Logger
  ) {
    self.router = router
    self.lane = lane
    self.plumbing = plumbing
    self.ordinary = ordinary
    self.logger = logger
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    leave()
    self.context = nil
  }

  func channelInactive(context: ChannelHandlerContext) {
    leave()
    context.fireChannelInactive()
  }

  /// Nobody is at the other end any more.
  private func leave() {
    switch phase {
    case .passing, .hearing, .waiting, .admitting: break
    case .polling(let listener): listener.leave()
    case .streaming(let listener): listener.leave()
    }
    phase = .passing
    held = []
    if !isOrdinary {
      isOrdinary = true
      ordinary.succeed(nil)
    }
  }

  // What comes

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // NB: what comes behind a stream's request may be bytes.
    if case .streaming = phase { return }
    take(unwrapInboundIn(data), context)
  }

  private func take(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
    switch (phase, part) {
    case (.passing, .head(let request)):
      if router.isListening(request) {
        phase = .hearing(request)
      } else {
        requestsUnderWay += 1
        becomeOrdinary(context)
        context.fireChannelRead(wrapInboundOut(part))
      }
    case (.passing, _): context.fireChannelRead(wrapInboundOut(part))
    case (.hearing(let request), .end):
      phase = .waiting(request)
      if requestsUnderWay == 0 { admit(request, context) }
    case (.hearing, _), (.streaming, _): break
    case (.waiting, _), (.admitting, _), (.polling, _):
      held.append(part)
      if held.count > Self.heldPartsMax { context.close(promise: nil) }
    }
  }

  /// Makes what Hummingbird serves a connection by, with the first request for it.
  private func becomeOrdinary(_ context: ChannelHandlerContext) {
    if isOrdinary { return }
    isOrdinary = true
    do {
      try context.pipeline.syncOperations.addHandler(HTTPConnectionStateHandler(logger: logger))
      ordinary.succeed(
        try Ordinary(
          wrappingChannelSynchronously: context.channel,
          configuration: .init(isOutboundHalfClosureEnabled: true)))
    } catch {
      ordinary.succeed(nil)
      context.close(promise: nil)
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .streaming = phase { return context.write(data, promise: promise) }
    context.write(data, promise: promise)
    guard case .end = unwrapOutboundIn(data) else { return }
    requestsUnderWay -= 1
    if requestsUnderWay == 0, case .waiting(let request) = phase { admit(request, context) }
  }

  // What is answered here

  private func admit(_ request: HTTPRequest, _ context: ChannelHandlerContext) {
    phase = .admitting(request)
    let router = router
    context.eventLoop.makeFutureWithTask { await router.listen(request) }
      .assumeIsolated().whenSuccess { self.admitted($0) }
  }

  private func admitted(_ answer: ListeningAnswer) {
    guard let context, context.channel.isActive, case .admitting(let request) = phase else {
      return
    }
    if request.headerFields[.connection]?.lowercased() == "close" { isLastAnswer = true }
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

  /// Answers a request that listened; then the connection goes on with what came meanwhile.
  ///
  /// - Parameter whenWritten: called once the system has all of it.
  func answer(
    _ head: HTTPResponse, _ body: [UInt8], whenWritten: (@Sendable () -> Void)? = nil
  ) {
    guard let context else { return }
    var head = head
    head.headerFields[.contentLength] = String(body.count)
    let isLast = isEnding || isLastAnswer
    if isLast { head.headerFields[.connection] = "close" }
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if !body.isEmpty {
      context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil)
    }
    let promise = whenWritten.map { written in
      let promise = context.eventLoop.makePromise(of: Void.self)
      promise.futureResult.whenSuccess(written)
      return promise
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
    phase = .passing
    if isLast { return context.close(promise: nil) }
    let parts = held
    held = []
    for part in parts { take(part, context) }
    if !parts.isEmpty { context.fireChannelReadComplete() }
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
    held = []
    // NB: bytes may be written only once the codec is gone, which would take them for parts.
    EventLoopFuture.andAllComplete(removals, on: context.eventLoop).assumeIsolated().whenComplete {
      _ in
      if !self.isOrdinary {
        self.isOrdinary = true
        self.ordinary.succeed(nil)
      }
      guard let context = self.context, context.channel.isActive,
        case .streaming(let current) = self.phase, current === listener
      else { return }
      if self.isEnding { return context.close(promise: nil) }
      // NB: signs of life are so few bytes that they fill nothing: without this, who vanished would
      // be noticed after a quarter of an hour.
      try? context.channel.syncOptions?.setOption(
        .tcpOption(.init(rawValue: TCP_USER_TIMEOUT)), value: Self.unheardMillisecondsMax)
      context.writeAndFlush(NIOAny(StreamHead.bytes(head)), promise: nil)
      listener.join()
    }
  }

  /// Writes bytes of a stream.
  ///
  /// - Returns: whether the client takes them as fast as they come.
  func write(_ bytes: ByteBuffer) -> Bool {
    guard let context else { return true }
    context.writeAndFlush(NIOAny(bytes), promise: nil)
    return context.channel.isWritable
  }

  /// Writes the last bytes of a stream, and closes.
  func end(with bytes: ByteBuffer) {
    guard let context else { return }
    // NB: has the bytes leave together with the connection's end: when a server ends, thousands do.
    try? context.channel.syncOptions?.setOption(.tcpOption(.init(rawValue: TCP_CORK)), value: 1)
    context.writeAndFlush(NIOAny(bytes), promise: nil)
    context.close(promise: nil)
  }

  func close() { context?.close(promise: nil) }

  // What happens to the connection

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if case .streaming(let listener) = phase, context.channel.isWritable { listener.resume() }
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ChannelShouldQuiesceEvent: endSoon(context)
    case ChannelEvent.inputClosed:
      // Who listens and stops speaking has left.
      if case .passing = phase, isOrdinary { break }
      return context.close(promise: nil)
    case _: break
    }
    context.fireUserInboundEventTriggered(event)
  }

  /// The server ends.
  private func endSoon(_ context: ChannelHandlerContext) {
    isEnding = true
    switch phase {
    case .passing: if !isOrdinary { context.close(promise: nil) }
    case .hearing, .waiting, .admitting: break
    case .polling(let listener): listener.release()
    case .streaming(let listener): listener.release()
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if case .passing = phase, isOrdinary { return context.fireErrorCaught(error) }
    if case .streaming = phase { return context.close(promise: nil) }
    if case .polling(let listener) = phase { listener.leave() }
    isLastAnswer = true
    if requestsUnderWay > 0 { return context.close(promise: nil) }
    answer(HTTPResponse(status: .badRequest), [])
  }
}
