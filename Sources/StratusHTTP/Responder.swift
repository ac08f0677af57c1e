import HTTPTypes
import Hummingbird
import NIOCore
import StratusDomain
import StratusWire

/// The router behind Hummingbird's socket.
struct Responder: HTTPResponder {
  typealias Context = BasicRequestContext

  let router: Router

  func respond(to request: Request, context: Context) async throws -> Response {
    let (head, body) = await router.answer(
      request.head, body: { () throws(ServerError) in try await Self.bytes(of: request) })
    return Response(
      status: head.status, headers: head.headerFields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }

  /// The body, up to the limit.
  private static func bytes(of request: Request) async throws(ServerError) -> [UInt8] {
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
      throw .badRequest("the request body ended early")
    }
    if heard > limit { throw .badRequest(Reason.requestTooLarge) }
    return bytes
  }
}
