import Foundation
import HTTPTypes
import NIOCore
import StratusDomain
import StratusWire

extension ConnectionGate {
  /// The maximum number of bytes that are sent, or read from a file, at once for one client.
  private static let pieceBytes = 262_144

  /// Passes a request to the router, and sends the answer.
  func serve(_ request: HTTPRequest, _ body: any SentBody) {
    guard let loop else { return }
    phase = .answering
    task = Task { [router, clientAddress] in
      let (head, answer) = await router.answer(request, body: body, from: clientAddress)
      switch answer {
      case .bytes(let bytes) where bytes.count > Self.pieceBytes:
        await self.finish { try await self.send(head, ByteBuffer(bytes: bytes), loop) }
      case .bytes(let bytes):
        loop.execute { self.answered(head, bytes, length: bytes.count) }
      case .absent(let size):
        loop.execute { self.answered(head, [], length: Int(size)) }
      case .events(let events):
        await self.finish { try await self.send(head, events, loop) }
      case .file(let file, let range, let subscriber):
        await self.finish { try await self.send(head, file, range, to: subscriber, loop) }
      }
    }
  }

  /// Calls a function that sends the pieces of an answer, and then ends the answer.
  private func finish(_ send: () async throws -> Void) async {
    do {
      try await send()
      onLoop { $0.finishAnswer() }
    } catch {
      // The client must not mistake the received part for the whole answer.
      onLoop { $0.context?.close(promise: nil) }
    }
  }

  private func answered(_ head: HTTPResponse, _ bytes: [UInt8], length: Int) {
    guard case .answering = phase else { return }
    write(head, bytes, length: length)
    finishAnswer()
  }

  /// Refuses a request before it reaches the router. After that, the connection closes.
  func refuse(_ status: HTTPResponse.Status, _ error: ServerError) {
    phase = .answering
    isLastAnswer = true
    // The client may still be sending the body. The server reads the body, unless the connection
    // was refused because there are too many connections.
    isBodyComplete = isUnwelcome
    dropHeld()
    let (head, body) = router.refusal(status, error)
    write(head, body, length: body.count)
    finishAnswer()
  }

  /// Is called when the answer has been written.
  func finishAnswer() {
    guard case .answering = phase else { return }
    task = nil
    intake?.fail(BodyIntake.endedEarly)
    intake = nil
    // NB: a client that has not received `100 Continue` may or may not send its body. The next
    // bytes could therefore be this body or the next request.
    if isLastAnswer || waitsForConsent && !isBodyComplete { leave() } else { settle() }
  }

  // Writing

  /// Writes a head and a body. A short body is sent in the same write.
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

  /// Writes bytes in small steps, so that the server notices when the client reads.
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

  /// Sets a socket option, so that the system reports the client's progress in steps as small as
  /// the server's writes.
  private func limitUnsent(_ context: ChannelHandlerContext) {
    #if os(Linux)
      try? context.channel.syncOptions?.setOption(
        .tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT)), value: 2 * Limits.progressBytesMin)
    #endif
  }

  // Answers in pieces

  /// Sends a long answer in pieces, so that the event loop can serve other connections between two
  /// pieces. This method must be called outside the event loop.
  private func send(
    _ head: HTTPResponse, _ body: ByteBuffer, _ loop: any EventLoop
  ) async throws {
    try await begin(head, length: body.readableBytes, loop)
    var rest = body
    while let piece = rest.readSlice(length: min(Self.pieceBytes, rest.readableBytes)),
      piece.readableBytes > 0
    {
      try await write(piece, loop)
    }
  }

  /// Writes the head of an answer that is sent in pieces.
  private func begin(_ head: HTTPResponse, length: Int, _ loop: any EventLoop) async throws {
    try await loop.submit {
      guard let context = self.context, case .answering = self.phase else {
        throw ChannelError.ioOnClosedChannel
      }
      self.limitUnsent(context)
      var buffer = context.channel.allocator.buffer(capacity: AnswerText.headBytes)
      self.write(head, length: length, into: &buffer)
      context.writeAndFlush(self.wrapOutboundOut(buffer), promise: nil)
    }.get()
  }

  /// Sends events as they occur. This method must be called outside the event loop.
  private func send(
    _ head: HTTPResponse, _ events: AsyncStream<[UInt8]>, _ loop: any EventLoop
  ) async throws {
    try await loop.submit {
      guard let context = self.context, case .answering = self.phase else {
        throw ChannelError.ioOnClosedChannel
      }
      self.isLastAnswer = true
      self.isSendingEvents = true
      var head = head
      head.headerFields[.transferEncoding] = "chunked"
      var buffer = context.channel.allocator.buffer(capacity: AnswerText.headBytes)
      AnswerText.write(
        head, length: nil, closes: true, date: self.dates.text(at: self.router.ambient.now()),
        into: &buffer)
      context.writeAndFlush(self.wrapOutboundOut(buffer), promise: nil)
    }.get()
    for await event in events { try await write(EventText.chunk(event), loop) }
    try await write(EventText.end, loop)
  }

  /// Sends a part of a file. This method must be called outside the event loop.
  private func send(
    _ head: HTTPResponse, _ file: any AssetFile, _ range: Range<Int64>, to subscriber: String?,
    _ loop: any EventLoop
  ) async throws {
    try await begin(head, length: range.count, loop)
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = Int(min(Int64(Self.pieceBytes), range.upperBound - offset))
      let bytes = try await file.read(at: offset, count: count)
      // If another program has shortened the file, the answer must not look complete.
      if bytes.isEmpty { throw ServerError.fault("a file is shorter than it was") }
      // The read is not a part of the step, because a read from S3 takes long.
      let accepted = await router.expensive.runDownloadStep(to: subscriber) {
        await pass(ByteBuffer(bytes: bytes), to: loop)
      }
      try await accepted?.get()
      offset += Int64(bytes.count)
    }
  }

  /// Writes a piece, and waits until the system has accepted all its bytes. The system accepts
  /// bytes only as fast as the client reads.
  private func write(_ piece: ByteBuffer, _ loop: any EventLoop) async throws {
    try await pass(piece, to: loop)?.get()
  }

  /// Writes a piece without waiting for the client.
  ///
  /// - Returns: a future of the moment when the system has accepted all bytes, or nil if it already
  ///   has.
  private func pass(_ piece: ByteBuffer, to loop: any EventLoop) async -> EventLoopFuture<Void>? {
    await withCheckedContinuation { continuation in
      loop.execute { continuation.resume(returning: self.write(piece, on: loop)) }
    }
  }

  private func write(_ piece: ByteBuffer, on loop: any EventLoop) -> EventLoopFuture<Void>? {
    guard let context, case .answering = phase else {
      return loop.makeFailedFuture(ChannelError.ioOnClosedChannel)
    }
    let promise = loop.makePromise(of: Void.self)
    var isAccepted = false
    promise.futureResult.assumeIsolated().whenSuccess {
      isAccepted = true
      // The time-out of the client does not run while the server reads the next piece.
      if self.wait == .answer { self.stopWaiting() }
    }
    expect(.answer)
    writeSlices(of: piece, context, promise)
    context.flush()
    return isAccepted ? nil : promise.futureResult
  }

  // Closing

  /// Closes the connection after the last answer is written.
  ///
  /// NB: if the client may still be sending, the server continues to read for a short time. If a
  /// socket is closed with unread bytes, the system resets the connection, and the client's system
  /// then discards the answer.
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
