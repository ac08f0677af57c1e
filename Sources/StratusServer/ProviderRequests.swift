import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import StratusDomain
import StratusWire

/// Sends requests to identity providers over the network.
struct ProviderRequests: OutgoingRequests {
  /// The maximum time of a request with its answer.
  private static let timeout = TimeAmount.seconds(10)
  /// The maximum size of an answer. Descriptions and keys of large providers have less than 20 kB.
  private static let answerBytesMax = 1_048_576

  private static let client: HTTPClient = {
    // NB: redirects are not followed. Otherwise another server could answer in place of the
    // provider.
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: HTTPClient.Configuration.Timeout(connect: .seconds(5), read: .seconds(10)))
    configuration.httpVersion = .http1Only
    return HTTPClient(
      eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup),
      configuration: configuration)
  }()

  func send(
    _ request: OutgoingRequest
  ) async throws(ServerError) -> (status: Int, body: [UInt8]) {
    var sent = HTTPClientRequest(url: request.url)
    sent.headers.add(name: "Accept", value: "application/json")
    if let text = request.formText {
      sent.method = .POST
      sent.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
      sent.body = .bytes(ByteBuffer(string: text))
    }
    if let credentials = request.credentials {
      sent.setBasicAuth(username: credentials.user, password: credentials.password)
    }
    do {
      let answer = try await Self.client.execute(sent, timeout: Self.timeout)
      let body = try await answer.body.collect(upTo: Self.answerBytesMax)
      return (Int(answer.status.code), Array(body.readableBytesView))
    } catch {
      // NB: only the type of the error is reported, because its text could contain the URL.
      throw ServerError(.tryAgainLater, "the connection failed: \(type(of: error))")
    }
  }
}
