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
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
      throw .badRequest(Reason.requestTooLarge)
    }
    do {
      return Array(buffer: try await request.body.collect(upTo: limit))
    } catch is NIOTooManyBytesError {
      throw .badRequest(Reason.requestTooLarge)
    } catch {
      throw .badRequest("the request body ended early")
    }
  }
}
