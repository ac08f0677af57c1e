import Foundation
import StratusTransport
import StratusWire
import Testing

@Suite struct `A sign-in without a browser` {
  private static let codes = DeviceSignIn.Authorization(
    deviceCode: "d&=", userCode: "BCDF-GHJK", verificationURL: "https://cloud.test/auth/device",
    completeVerificationURL: nil, expiresInSeconds: 60, intervalSeconds: 5)

  private func login(_ exchange: ScriptedExchange, _ time: FakeTime = FakeTime()) -> DeviceLogin {
    DeviceLogin(
      url: "https://cloud.test", apiToken: "0a", exchange: exchange, timing: time.timing())
  }

  private static func refusal(_ code: String) -> ScriptedExchange.Step {
    .answer(400, #"{"error":"\#(code)"}"#)
  }

  /// The answer of RFC 8628 §3.2.
  @Test func `the server's codes for a sign-in are read in the form of RFC 8628`() async throws {
    let exchange = ScriptedExchange([
      .answer(
        200,
        """
        {"device_code": "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS", "user_code": "WDJB-MJHT",
         "verification_uri": "https://example.com/device",
         "verification_uri_complete": "https://example.com/device?user_code=WDJB-MJHT",
         "expires_in": 1800, "interval": 5}
        """)
    ])
    let codes = try await login(exchange).begin(machine: "a b")
    #expect(codes.userCode == "WDJB-MJHT")
    #expect(codes.expiresInSeconds == 1_800)
    #expect(codes.completeVerificationURL == "https://example.com/device?user_code=WDJB-MJHT")
    let request = try #require(exchange.requests.first)
    #expect(request.url.absoluteString == "https://cloud.test/auth/device-authorization")
    #expect(String(decoding: request.body, as: UTF8.self) == "client_id=0a&device_name=a%20b")
    #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
  }

  @Test func `the program waits longer after a slow_down or a time-out`() async throws {
    let time = FakeTime()
    let exchange = ScriptedExchange([
      Self.refusal("authorization_pending"), Self.refusal("slow_down"), .fail(.timedOut),
      .answer(200, #"{"access_token":"t","token_type":"ckWebAuthToken","containerID":"c"}"#),
    ])
    let token = try await login(exchange, time).token(for: Self.codes)
    #expect(token.webAuthToken == "t")
    #expect(token.containerID == "c")
    #expect(token.environment == nil)
    #expect(time.sleeps == [5, 5, 10, 20])
    let body = String(decoding: try #require(exchange.requests.last).body, as: UTF8.self)
    #expect(
      body == "client_id=0a&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant%2Dtype%3Adevice%5Fcode"
        + "&device_code=d%26%3D")
  }

  @Test func `the program gives up when the user refuses or the codes expire`() async throws {
    for code in ["access_denied", "expired_token", "invalid_client"] {
      let exchange = ScriptedExchange([Self.refusal(code)])
      await #expect(
        throws: DeviceLogin.Failure.refused(
          DeviceSignIn.Refusal(try #require(DeviceSignIn.Refusal.Code(rawValue: code))))
      ) { try await login(exchange).token(for: Self.codes) }
    }
    let exchange = ScriptedExchange(
      Array(repeating: Self.refusal("authorization_pending"), count: 20))
    await #expect(throws: DeviceLogin.Failure.refused(DeviceSignIn.Refusal(.expiredToken))) {
      try await login(exchange).token(for: Self.codes)
    }
    #expect(exchange.requests.count == 12)
  }

  @Test(arguments: [
    (200, "{}"), (200, "<html>"), (404, "not found"), (500, #"{"error":"access_denied"}"#),
    (302, ""), (400, #"{"error":"other"}"#),
  ])
  func `a sign-in fails if the answer is not from a Stratus server`(
    status: Int, body: String
  ) async throws {
    let exchange = ScriptedExchange([.answer(status, body)])
    await #expect(throws: DeviceLogin.Failure.unreadable(status: status)) {
      try await login(exchange).begin(machine: "")
    }
  }
}
