import HTTPTypes
import Hummingbird
import NIOCore
import StratusDomain
import StratusWire

/// The router behind Hummingbird's socket.
struct Responder: HTTPResponder {
  /// What a request is answered over.
  struct Context: InitializableFromSource {
    let channel: any Channel

    init(source: ApplicationRequestContextSource) { channel = source.channel }
  }

  /// Bytes of a file in memory for one client.
  private static let pieceBytes: Int64 = 262_144

  let router: Router

  func respond(to request: Request, context: Context) async throws -> Response {
    let (head, body) = await router.answer(
      request.head, body: ReceivedBody(request: request),
      clientAddress: context.channel.remoteAddress?.ipAddress)
    return Response(
      status: head.status, headers: head.headerFields,
      body: Self.body(body, over: context.channel))
  }

  private static func body(_ body: AnswerBody, over channel: any Channel) -> ResponseBody {
    switch body {
    case .bytes(let bytes): ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    case .absent(let size): ResponseBody(contentLength: Int(size)) { try await $0.finish(nil) }
    case .file(let file, let range):
      ResponseBody(contentLength: range.count) { writer in
        var place = range.lowerBound
        while place < range.upperBound {
          let count = Int(min(pieceBytes, range.upperBound - place))
          let bytes = try await file.read(at: place, count: count)
          // Nobody shortens a file; if somebody does, the client must not take it for whole.
          if bytes.isEmpty { throw ServerError.fault("a file is shorter than it was") }
          try await writer.write(ByteBuffer(bytes: bytes))
          // NB: the writer waits for a slow client only once the channel has heard of what was
          // written. Under load that takes longer than reading the next pieces, and without this
          // turn of the event loop they would pile up.
          try await channel.eventLoop.submit {}.get()
          place += Int64(bytes.count)
        }
        try await writer.finish(nil)
      }
    }
  }
}

/// A body that comes over a socket.
private struct ReceivedBody: SentBody {
  let request: Request

  func bytes() async throws(ServerError) -> [UInt8] {
    let limit = Limits.requestSizeBytesMax
    let length = request.headers[.contentLength].flatMap { Int($0) } ?? 0
    if length > limit, length > Limits.refusedRequestBytesMax || request.headers[.expect] != nil {
      throw .badRequest(Reason.requestTooLarge)
    }
    var bytes: [UInt8] = []
    if length <= limit { bytes.reserveCapacity(length) }
    var heard = 0
    do {
      for try await piece in request.body {
        heard += piece.readableBytes
        if heard > Limits.refusedRequestBytesMax { break }
        if heard <= limit, length <= limit { bytes += piece.readableBytesView }
      }
    } catch {
      throw Self.endedEarly
    }
    if heard > limit { throw .badRequest(Reason.requestTooLarge) }
    return bytes
  }

  func pieces() -> any BodyPieces { Pieces(request) }

  fileprivate static let endedEarly = ServerError.badRequest("the request body ended early")

  private final class Pieces: BodyPieces {
    private var iterator: RequestBody.AsyncIterator
    /// Bytes still to come; nil: the head does not say.
    private var rest: Int?

    init(_ request: Request) {
      iterator = request.body.makeAsyncIterator()
      rest = request.headers[.contentLength].flatMap { Int($0) }
    }

    func next() async throws(ServerError) -> [UInt8]? {
      let piece: ByteBuffer?
      do { piece = try await iterator.next() } catch { throw ReceivedBody.endedEarly }
      guard let piece else {
        if let rest, rest > 0 { throw ReceivedBody.endedEarly }
        return nil
      }
      if let known = rest { rest = known - piece.readableBytes }
      return Array(piece.readableBytesView)
    }
  }
}
