import HTTPTypes
import StratusAccounts
import StratusDomain
import StratusServer
import StratusTesting
import StratusWire
import Testing

@testable import StratusHTTP

/// The headers `X-Forwarded-*`, which only trusted proxies may set.
@Suite struct `A request that a proxy forwards` {
  private static let proxies = ["10.0.0.0/8", "2001:db8:1::/48", "127.0.0.1"].compactMap(
    AddressRange.init)

  private func client(
    _ fields: HTTPFields, from address: String?, isEncrypted: Bool = false
  ) -> ForwardedRequest {
    let request = HTTPRequest(
      method: .get, scheme: "http", authority: "inner:8080", path: "/", headerFields: fields)
    return ForwardedRequest(
      request, from: address, isEncrypted: isEncrypted, proxies: Self.proxies)
  }

  @Test(arguments: [
    ("10.0.0.1", "192.0.2.7", "192.0.2.7"), ("10.0.0.1", "192.0.2.7:4711", "192.0.2.7"),
    ("10.0.0.1", "invented, 198.51.100.9, 192.0.2.7", "192.0.2.7"),
    ("10.0.0.1", "192.0.2.7, 10.1.1.1, 10.2.2.2", "192.0.2.7"),
    ("10.0.0.1", "192.0.2.7 ,\t10.1.1.1", "192.0.2.7"),
    ("10.0.0.1", "10.3.3.3, 10.2.2.2", "10.3.3.3"),
    ("10.0.0.1", "192.0.2.7, unknown", "10.0.0.1"), ("10.0.0.1", "", "10.0.0.1"),
    ("10.0.0.1", "192.0.2.7,", "192.0.2.7"), ("10.0.0.1", "192.0.2.7, 999.1.1.1", "10.0.0.1"),
    ("10.0.0.1", "[2001:db8::7]:4711", "2001:db8::7"), ("10.0.0.1", "2001:db8::7", "2001:db8::7"),
    ("::ffff:10.0.0.1", "192.0.2.7", "192.0.2.7"), ("2001:db8:1::2", "192.0.2.7", "192.0.2.7"),
    ("192.0.2.99", "192.0.2.7", "192.0.2.99"), ("127.0.0.2", "192.0.2.7", "127.0.0.2"),
    ("2001:db8:2::2", "192.0.2.7", "2001:db8:2::2"),
  ])
  func `the client of a forwarded request is the last address that is no trusted proxy`(
    sender: String, field: String, client: String
  ) {
    #expect(self.client([.forwardedFor: field], from: sender).clientAddress == client)
  }

  @Test func `a forwarded request has the scheme and the host that the nearest proxy reports`() {
    let fields: HTTPFields = [
      .forwardedProto: "http, https", .forwardedHost: "evil.example, cloud.example.org:8443",
    ]
    let trusted = client(fields, from: "10.0.0.1")
    #expect(trusted.scheme == "https")
    #expect(trusted.authority == "cloud.example.org:8443")
    let other = client(fields, from: "192.0.2.7")
    #expect(other.scheme == "http")
    #expect(other.authority == "inner:8080")
    #expect(client([:], from: "10.0.0.1", isEncrypted: true).scheme == "https")
    #expect(client(fields, from: nil).authority == "inner:8080")
    let wrong = client(
      [.forwardedProto: "gopher", .forwardedHost: "a/b?c"], from: "10.0.0.1")
    #expect(wrong.scheme == "http")
    #expect(wrong.authority == "inner:8080")
  }

  @Test func `forwarded requests are throttled by the client's address`() async throws {
    let clock = MovedClock()
    let limits = LimitSettings(anonymousRequestsPerAddress: .init(perSecond: 1, burst: 1))
    try await withServer(live: clock.live, limits: limits) { server in
      var router = server.router
      router.trustedProxies = Self.proxies
      var caller = Client(
        router: router, database: "public", apiToken: server.developer.apiToken)
      caller.clientAddress = "10.0.0.1"
      func status(_ client: String) async throws -> Int {
        try await caller.send(
          .get, caller.target("zones/list"), headers: ["X-Forwarded-For": client]
        ).status
      }
      var statuses: [Int] = []
      for client in ["192.0.2.7", "192.0.2.7", "192.0.2.8"] {
        statuses.append(try await status(client))
      }
      caller.clientAddress = "192.0.2.99"
      for client in ["192.0.2.9", "192.0.2.10"] { statuses.append(try await status(client)) }
      #expect(statuses == [200, 429, 200, 200, 429])
    }
  }

  @Test func `a forwarded request gets URLs with the host that the client used`() async throws {
    try await withServer { server in
      var anna = try await server.client("anna@example.org")
      var router = server.router
      router.trustedProxies = Self.proxies
      anna = Client(
        router: router, apiToken: anna.apiToken, webAuthToken: anna.webAuthToken,
        clientAddress: "10.0.0.1")
      let body: JSON = [
        "tokens": [["recordName": "p", "recordType": "Note", "fieldName": "photo"]]
      ]
      let answer = try await anna.send(
        .post, anna.target("assets/upload"),
        headers: ["X-Forwarded-Host": "cloud.example.org", "X-Forwarded-Proto": "https"],
        body: body.bytes)
      #expect(
        answer.json["tokens"][0]["url"].string?.hasPrefix("https://cloud.example.org/assets/")
          == true)
    }
  }
}

@Suite struct `Network addresses and their ranges` {
  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
    ("10.0.0.0/0", "192.0.2.7", true), ("192.0.2.7", "192.0.2.7", true),
    ("192.0.2.7", "192.0.2.6", false), ("192.0.2.6/31", "192.0.2.7", true),
    ("192.0.2.6/31", "192.0.2.8", false), ("::/0", "2001:db8::1", true),
    ("0.0.0.0/0", "2001:db8::1", false), ("2001:db8::/33", "2001:db8:7fff::1", true),
    ("2001:db8::/33", "2001:db8:8000::1", false), ("fe80::/10", "fe80::1%eth0", true),
    ("::ffff:10.0.0.0/104", "10.1.1.1", true), ("10.0.0.0/8", "::ffff:10.1.1.1", true),
  ])
  func `an address range contains the addresses that begin with its leading bits`(
    range: String, address: String, isInside: Bool
  ) throws {
    let range = try #require(AddressRange(range))
    #expect(range.contains(try #require(NetworkAddress(address))) == isInside)
  }

  @Test(arguments: [
    "", "10.0.0.0/33", "10.0.0/8", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "::/129", "x",
    "10.0.0.0/+8", "localhost",
  ])
  func `a malformed address range is refused`(text: String) {
    #expect(AddressRange(text) == nil)
  }

  @Test func `all IPv6 addresses with the same first 64 bits count as one address`() {
    #expect(NetworkAddress("192.0.2.7")?.subscriber == "192.0.2.7")
    #expect(NetworkAddress("::ffff:192.0.2.7")?.subscriber == "192.0.2.7")
    #expect(NetworkAddress("2001:db8::1")?.subscriber == "20010db800000000/64")
  }
}
