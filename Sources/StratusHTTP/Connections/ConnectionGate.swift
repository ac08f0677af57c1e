import HTTPTypes
import NIOCore
import NIOHTTP1
import StratusDomain
import StratusWire

/// Serves one connection: it collects requests, passes them to the router one after the other, and
/// writes the answers.
///
/// The gate follows the HTTP decoder in the pipeline and writes bytes. One request is in progress
/// at a time. Parts of later requests are kept until the request is finished, and the connection
/// does not read while there are such parts. `docs/internals/http.md` describes the phases and
/// their time-outs.
///
/// NB: this type is unchecked, because all access is on the connection's event loop, unless a
/// comment says otherwise.
final class ConnectionGate: ChannelDuplexHandler, RemovableChannelHandler, @unchecked Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = Never
  typealias OutboundIn = Never
  typealias OutboundOut = ByteBuffer

  enum Phase {
    /// No request is in progress. A part of the next head may have arrived.
    case ready
    /// A short body is arriving. The router gets the request when the body is complete.
    case collecting(HTTPRequest)
    /// The router works on the request, or the answer is being sent. The body may still be
    /// arriving.
    case answering
    /// The answer is written. The client has not read all of it yet, or has not sent the whole body
    /// yet.
    case settling
    /// A request to listen for notifications has begun, and its body is arriving.
    case readingBody(HTTPRequest)
    /// The router checks whether a request may listen for notifications.
    case admitting(HTTPRequest)
    case polling(PollListener)
    case streaming(StreamListener)
    /// The last answer is written. Further bytes are ignored.
    case leaving
  }

  let router: Router
  /// The client's address, or nil if the client has none, for example at a Unix socket.
  let clientAddress: String?
  let settings: ConnectionSettings
  let group: EventLoopDelivery
  let dates: DateText
  /// The HTTP handlers of the pipeline. A notification stream does not need them.
  var plumbing: [any RemovableChannelHandler]
  /// Whether this connection is refused because there are too many connections.
  let isUnwelcome: Bool

  var phase = Phase.ready
  var context: ChannelHandlerContext?
  /// The received parts of later requests.
  private var held: [HTTPServerRequestPart] = []
  /// The index of the first element of ``held`` that has not been taken.
  private var heldNext = 0
  private var isTakingHeld = false
  /// Whether the channel requested a read while reading was paused.
  private var isReadDue = false
  private var hasSeenPart = false

  // The request in progress

  /// Whether all parts of the request have arrived, or there is no request.
  var isBodyComplete = true
  /// Whether the connection closes after the answer.
  var isLastAnswer = false
  /// Whether the client waits for `100 Continue`.
  var waitsForConsent = false
  private var collected: ByteBuffer?
  var intake: BodyIntake?
  /// The task that answers the request in progress.
  var task: Task<Void, Never>?
  /// Whether the answer in progress is a stream of events, whose length is not known in advance.
  var isSendingEvents = false
  private var isIntakeFull = false
  /// The number of bytes of the body that were discarded after the answer.
  private var forgottenBytes = 0
  /// The number of discarded bytes since the last pause.
  private var forgottenSincePause = 0
  /// Whether reading is paused, so that a discarded body does not keep the event loop busy.
  private var isPausing = false

  /// Whether the client has closed its sending side.
  private(set) var isInputClosed = false
  /// Whether the server is stopping.
  var isEnding = false

  // Time-outs (see ConnectionGate+Deadlines)

  var wait: Wait?
  var deadline = NIODeadline.distantFuture
  var alarm: Scheduled<Void>?
  var alarmTime = NIODeadline.distantFuture
  var graceAlarm: Scheduled<Void>?
  var progressBytes = 0

  init(
    router: Router, settings: ConnectionSettings, group: EventLoopDelivery, dates: DateText,
    plumbing: [any RemovableChannelHandler], isUnwelcome: Bool, clientAddress: String?
  ) {
    self.clientAddress = clientAddress
    self.router = router
    self.settings = settings
    self.group = group
    self.dates = dates
    self.plumbing = plumbing
    self.isUnwelcome = isUnwelcome
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { begin() }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    forget()
    self.context = nil
  }

  func channelActive(context: ChannelHandlerContext) {
    begin()
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    forget()
    context.fireChannelInactive()
  }

  private func begin() {
    if isUnwelcome {
      refuse(.serviceUnavailable, .tooManyConnections)
    } else {
      expect(.request)
    }
  }

  /// Is called when the connection has closed.
  private func forget() {
    switch phase {
    case .ready, .collecting, .answering, .settling, .readingBody, .admitting, .leaving: break
    case .polling(let listener): listener.leave()
    case .streaming(let listener): listener.leave()
    }
    phase = .leaving
    intake?.fail(BodyIntake.endedEarly)
    intake = nil
    // Long work, such as a large query, ends early. A write that has begun is still completed.
    task?.cancel()
    task = nil
    collected = nil
    dropHeld()
    stopWaiting()
    graceAlarm?.cancel()
    graceAlarm = nil
  }

  // Reading

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch phase {
    // NB: after the request for a stream, the arriving data may be raw bytes.
    case .streaming, .leaving: return
    case .ready, .collecting, .answering, .settling, .readingBody, .admitting, .polling: break
    }
    hasSeenPart = true
    let part = unwrapInboundIn(data)
    if heldNext < held.count || isOccupied { held.append(part) } else { take(part) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    switch phase {
    case .ready: if !hasSeenPart, wait == .request { expect(.head) }
    case .collecting, .readingBody: if wait != .body { expect(.body) }
    case .answering:
      if !isBodyComplete, !isIntakeFull, wait != .body { expect(.body) }
    case .settling, .admitting, .polling, .streaming, .leaving: break
    }
    hasSeenPart = false
  }

  /// Whether an arriving part belongs to a later request.
  private var isOccupied: Bool {
    if case .ready = phase { return false }
    return isBodyComplete
  }

  private func take(_ part: HTTPServerRequestPart) {
    switch part {
    case .head(let head): takeHead(head)
    case .body(let bytes): takeBody(bytes)
    case .end: takeEnd()
    }
  }

  private func takeHead(_ head: HTTPRequestHead) {
    stopWaiting()
    isBodyComplete = false
    forgottenBytes = 0
    isLastAnswer = isEnding || head.version != .http1_1 || !head.isKeepAlive
    let request: HTTPRequest
    do throws(HeadRefusal) { request = try ReceivedHead.request(head) } catch {
      return refuse(error.status, error.error)
    }
    waitsForConsent = request.headerFields[.expect]?.lowercased() == "100-continue"
    if router.isListening(request) {
      phase = .readingBody(request)
      return
    }
    let length = ReceivedHead.bodyLength(request)
    if let length, length <= Limits.collectedBodyBytesMax, !router.readsPieces(of: request) {
      phase = .collecting(request)
      if length > 0 { consent() }
    } else {
      let intake = BodyIntake(
        length: length, waitsForConsent: waitsForConsent,
        whenWanted: { [self] in onLoop { $0.consent() } },
        whenDrained: { [self] in onLoop { $0.readOn() } })
      self.intake = intake
      isIntakeFull = false
      serve(request, intake)
    }
  }

  private func takeBody(_ bytes: ByteBuffer) {
    waitsForConsent = false
    progress(bytes.readableBytes)
    switch phase {
    case .collecting:
      if var collected {
        self.collected = nil
        collected.writeImmutableBuffer(bytes)
        self.collected = collected
      } else {
        collected = bytes
      }
    case .answering:
      guard let intake, !intake.push(bytes) else { return }
      // The endpoint is slower than the client, so the time-out of the client must not run.
      isIntakeFull = true
      stopWaiting()
    case .settling:
      forgottenBytes += bytes.readableBytes
      if forgottenBytes > Limits.refusedRequestBytesMax {
        return context?.close(promise: nil) ?? ()
      }
      pauseReading(after: bytes.readableBytes)
    case .ready, .readingBody, .admitting, .polling, .streaming, .leaving: break
    }
  }

  private func takeEnd() {
    if wait == .body { stopWaiting() }
    isBodyComplete = true
    switch phase {
    case .collecting(let request):
      let bytes = collected.map { Array($0.readableBytesView) } ?? []
      collected = nil
      serve(request, WholeBody(bytes))
    case .readingBody(let request): admit(request)
    case .answering: intake?.end()
    case .settling: settle()
    case .ready, .admitting, .polling, .streaming, .leaving: break
    }
  }

  /// Sends `100 Continue` to a client that waits for it.
  private func consent() {
    guard waitsForConsent, let context else { return }
    waitsForConsent = false
    context.writeAndFlush(wrapOutboundOut(AnswerText.goOn), promise: nil)
  }

  private func readOn() {
    guard isIntakeFull, case .answering = phase else { return }
    isIntakeFull = false
    if !isBodyComplete { expect(.body) }
    resumeReading()
  }

  // Sequential requests

  /// Continues with the next request after the client has read the answer and sent the whole body.
  func settle() {
    guard let context, context.channel.isActive else { return }
    phase = .settling
    if isBodyComplete, context.channel.isWritable {
      if isLastAnswer { return leave() }
      phase = .ready
      expect(.request)
      takeHeld()
    } else {
      expect(context.channel.isWritable ? .body : .answer)
      resumeReading()
    }
  }

  /// Handles the kept parts of later requests.
  ///
  /// NB: the loop compares the index with the number of parts each time, because the refusal of a
  /// request removes all kept parts.
  private func takeHeld() {
    if isTakingHeld { return }
    isTakingHeld = true
    while heldNext < held.count, !isOccupied {
      let part = held[heldNext]
      heldNext += 1
      take(part)
    }
    isTakingHeld = false
    if heldNext == held.count {
      dropHeld()
      if isInputClosed, case .ready = phase { return leave() }
      resumeReading()
    }
  }

  func dropHeld() {
    held = []
    heldNext = 0
  }

  // Back-pressure

  func read(context: ChannelHandlerContext) {
    if mayRead { context.read() } else { isReadDue = true }
  }

  private var mayRead: Bool { heldNext == held.count && !isIntakeFull && !isPausing }

  /// Pauses reading between the parts of a discarded body. Otherwise a client could delay other
  /// connections by sending large bodies that the server refuses.
  private func pauseReading(after count: Int) {
    forgottenSincePause += count
    guard forgottenSincePause >= Limits.discardedBytesPerPause, !isPausing else { return }
    forgottenSincePause = 0
    isPausing = true
    loop?.assumeIsolated().scheduleTask(in: Self.discardPause) {
      self.isPausing = false
      self.resumeReading()
    }
  }

  private static let discardPause = TimeAmount.milliseconds(Limits.discardPauseMilliseconds)

  func resumeReading() {
    guard isReadDue, mayRead, let context else { return }
    isReadDue = false
    context.read()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      switch phase {
      case .streaming(let listener): listener.resume()
      case .settling: settle()
      case .ready, .collecting, .answering, .readingBody, .admitting, .polling, .leaving: break
      }
    }
    context.fireChannelWritabilityChanged()
  }

  // Events of the connection

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ChannelShouldQuiesceEvent: endSoon()
    case ChannelEvent.inputClosed: inputClosed(context)
    case _: break
    }
    context.fireUserInboundEventTriggered(event)
  }

  private func inputClosed(_ context: ChannelHandlerContext) {
    isInputClosed = true
    switch phase {
    case .ready: leave()
    // If a listening client closes its sending side, it has disconnected.
    case .admitting, .polling, .streaming: context.close(promise: nil)
    case .leaving: if wait == .goodbye { context.close(promise: nil) }
    case .collecting, .readingBody: context.close(promise: nil)
    case .answering, .settling:
      if isSendingEvents { return context.close(promise: nil) }
      intake?.fail(BodyIntake.endedEarly)
      isBodyComplete = true
      if case .settling = phase { settle() }
    }
  }

  /// Is called when the server stops. Only requests that have begun are still answered, and the
  /// connection closes after the grace period at the latest.
  func endSoon() {
    guard let context, !isEnding else { return }
    isEnding = true
    isLastAnswer = true
    startGracePeriod()
    switch phase {
    case .ready: if wait != .head { context.close(promise: nil) }
    case .answering: if isSendingEvents { task?.cancel() }
    case .collecting, .settling, .readingBody, .admitting, .leaving: break
    case .polling(let listener): listener.release()
    case .streaming(let listener): listener.release()
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if case .leaving = phase, !(error is IOError) { return }
    guard error is HTTPParserError else { return context.close(promise: nil) }
    switch phase {
    case .leaving: break
    case .streaming: context.close(promise: nil)
    case .answering, .settling, .admitting:
      // The current answer is the last one.
      intake?.fail(BodyIntake.endedEarly)
      isBodyComplete = true
      isLastAnswer = true
      dropHeld()
      if case .settling = phase { settle() }
    case .polling(let listener):
      listener.leave()
      refuse(error)
    case .ready, .collecting, .readingBody: refuse(error)
    }
  }

  private func refuse(_ error: any Error) {
    if case .headerOverflow = error as? HTTPParserError {
      refuse(.requestHeaderFieldsTooLarge, .badRequest(Reason.requestHeadTooLarge))
    } else {
      refuse(.badRequest, .badRequest(Reason.requestNotHTTP))
    }
  }

  /// Runs `body` on the connection's event loop. This method can be called from any thread.
  func onLoop(_ body: @escaping @Sendable (ConnectionGate) -> Void) {
    // NB: the context is set before the first request, and stays until the connection has ended.
    loop?.execute { body(self) }
  }

  var loop: (any EventLoop)? { context?.eventLoop }
}

extension ServerError {
  static let tooManyConnections = ServerError(
    .tryAgainLater, Reason.tooManyConnections, retryAfterSeconds: 30)
}
