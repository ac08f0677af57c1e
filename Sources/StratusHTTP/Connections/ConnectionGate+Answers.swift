import Foundation
import HTTPTypes
import NIOCore
import StratusDomain
import StratusWire

extension ConnectionGate {
  /// Bytes of a file in memory for one client.
  private static let pieceBytes: Int64 = 262_144

  /// Has the router answer a request.
  func serve(_ request: HTTPRequest, _ body: any SentBody) {
    guard let loop else { return }
    phase = .answering
    Task { [router, clientAddress] in
      let (head, answer) = await router.answer(request, body: body, from: clientAddress)
      switch answer {
      case .bytes(let bytes):
        loop.execute { self.answered(head, bytes, length: bytes.count) }
      case .absent(let size):
        loop.execute { self.answered(head, [], length: Int(size)) }
      case .file(let file, let range):
        do {
          try await self.send(head, file, range, loop)
          loop.execute { self.finishAnswer() }
        } catch {
          // The client must not take what it has for the whole.
          loop.execute { self.context?.close(promise: nil) }
        }
      }
    }
  }

  private func answered(_ head: HTTPResponse, _ bytes: [UInt8], length: Int) {
    guard case .answering = phase else { return }
    write(head, bytes, length: length)
    finishAnswer()
  }

  /// Refuses a request that the router does not see; the connection ends with it.
  func refuse(_ status: HTTPResponse.Status, _ error: ServerError) {
    phase = .answering
    isLastAnswer = true
    // The client may still be sending. Its bytes are read, unless there are too many clients.
    isBodyComplete = isUnwelcome
    dropHeld()
    let (head, body) = router.refusal(status, error)
    write(head, body, length: body.count)
    finishAnswer()
  }

  /// The answer is written.
  func finishAnswer() {
    guard case .answering = phase else { return }
    intake?.fail(BodyIntake.endedEarly)
    intake = nil
    // NB: a client that was not told to send its body may send it or not: what follows could be
    // either.
    if isLastAnswer || waitsForConsent && !isBodyComplete { leave() } else { settle() }
  }

  // Writing

  /// Writes a head and a body; a short one in one piece.
  func write(
    _ head: HTTPResponse, _ body: [UInt8], length: Int,
    whenWritten promise: EventLoopPromise<Void>? = nil
  ) {
    guard let context else { return }
    let isShort = body.count <= Limits.progressBytesMin
    var buffer = context.channel.allocator.buffer(
      capacity: AnswerText.headBytes + (isShort ? body.count : 0))
    write(head, length: length, into: &buffer)
    if isShort {
      buffer.writeBytes(body)
      return context.writeAndFlush(wrapOutboundOut(buffer), promise: promise)
    }
    context.write(wrapOutboundOut(buffer), promise: nil)
    limitUnsent(context)
    expect(.answer)
    writeSlices(of: ByteBuffer(bytes: body), context, promise)
    context.flush()
  }

  private func write(_ head: HTTPResponse, length: Int, into buffer: inout ByteBuffer) {
    AnswerText.write(
      head, length: length, closes: isLastAnswer, date: dates.text(at: router.ambient.now()),
      into: &buffer)
  }

  /// Writes bytes so that the client's progress can be seen.
  private func writeSlices(
    of buffer: ByteBuffer, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
  ) {
    var rest = buffer
    while let slice = rest.readSlice(length: min(Limits.progressBytesMin, rest.readableBytes)),
      slice.readableBytes > 0
    {
      let written = context.eventLoop.makePromise(of: Void.self)
      let count = slice.readableBytes
      written.futureResult.assumeIsolated().whenSuccess { self.progress(count) }
      if rest.readableBytes == 0, let promise { written.futureResult.cascade(to: promise) }
      context.write(wrapOutboundOut(slice), promise: written)
    }
  }

  /// Has the system tell of the client's progress in steps as small as ours.
  private func limitUnsent(_ context: ChannelHandlerContext) {
    #if os(Linux)
      try? context.channel.syncOptions?.setOption(
        .tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT)), value: 2 * Limits.progressBytesMin)
    #endif
  }

  // Files

  /// Sends a file; not on the event loop.
  private func send(
    _ head: HTTPResponse, _ file: any AssetFile, _ range: Range<Int64>, _ loop: any EventLoop
  ) async throws {
    try await loop.submit {
      guard let context = self.context, case .answering = self.phase else {
        throw ChannelError.ioOnClosedChannel
      }
      self.limitUnsent(context)
      var buffer = context.channel.allocator.buffer(capacity: AnswerText.headBytes)
      self.write(head, length: range.count, into: &buffer)
      context.writeAndFlush(self.wrapOutboundOut(buffer), promise: nil)
    }.get()
    var place = range.lowerBound
    while place < range.upperBound {
      let count = Int(min(Self.pieceBytes, range.upperBound - place))
      let bytes = try await file.read(at: place, count: count)
      // A file that became shorter outside the server must not be taken for whole.
      if bytes.isEmpty { throw ServerError.fault("a file is shorter than it was") }
      try await write(ByteBuffer(bytes: bytes), loop)
      place += Int64(bytes.count)
    }
  }

  /// Writes a piece, and waits until the client has taken it.
  private func write(_ piece: ByteBuffer, _ loop: any EventLoop) async throws {
    let promise = loop.makePromise(of: Void.self)
    loop.execute {
      guard let context = self.context, case .answering = self.phase else {
        return promise.fail(ChannelError.ioOnClosedChannel)
      }
      self.expect(.answer)
      self.writeSlices(of: piece, context, promise)
      context.flush()
    }
    try await promise.futureResult.get()
    // Reading the next piece takes the server's time, not the client's.
    loop.execute { if self.wait == .answer { self.stopWaiting() } }
  }

  // The end

  /// Closes, once the last answer is written.
  ///
  /// NB: the server goes on reading for a moment. A system that closes with unread bytes resets the
  /// connection, and the client's system then throws away the answer.
  func leave() {
    guard let context else { return }
    let isHeard = isBodyComplete || isInputClosed
    phase = .leaving
    dropHeld()
    expect(.answer)
    let flushed = context.eventLoop.makePromise(of: Void.self)
    flushed.futureResult.assumeIsolated().whenComplete { _ in
      guard let context = self.context else { return }
      if isHeard { return context.close(promise: nil) }
      self.expect(.goodbye)
      context.close(mode: .output, promise: nil)
      self.resumeReading()
    }
    context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: flushed)
  }
}
