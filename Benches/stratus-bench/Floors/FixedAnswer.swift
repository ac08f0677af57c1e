import ArgumentParser
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import UnixSignals

/// `stratus-bench fixed-answer`: a server that shows the speed of the HTTP framework alone (the
/// comparison value H).
struct FixedAnswer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fixed-answer",
    abstract: "Answer every request with the same 100 bytes; ends with SIGTERM.")

  /// The JSON of 100 bytes that every answer contains.
  static let body = Array("{\"answer\":\"\(String(repeating: "x", count: 87))\"}".utf8)

  func run() async throws {
    // NB: this server uses Hummingbird's own channel for connections. Stratus has another one
    // (`ConnectionChannel`).
    let application = Application(
      responder: FixedResponder(),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: {
        let line = "ready at http://127.0.0.1:\($0.localAddress?.port ?? 0)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      },
      logger: Logger(label: "fixed-answer"))
    try await application.runService(gracefulShutdownSignals: [.sigterm])
  }
}

/// Reads the body of a request, and answers each time with the same bytes.
private struct FixedResponder: HTTPResponder {
  typealias Context = BasicRequestContext

  func respond(to request: Request, context: Context) async throws -> Response {
    _ = try await request.body.collect(upTo: 1 << 22)
    var headers = HTTPFields()
    headers[.contentType] = "application/json; charset=UTF-8"
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: FixedAnswer.body)))
  }
}
