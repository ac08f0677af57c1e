import Testing

@testable import StratusHTTP

@Suite struct `Requests to the console` {
  private let check = ConsoleRequestCheck(consoleURL: "https://console.example.org")

  private func head(
    _ change: (inout ConsoleRequestCheck.Head) -> Void = { _ in }
  ) -> ConsoleRequestCheck.Head {
    var head = ConsoleRequestCheck.Head(
      method: "POST", path: "team/list", contentType: "application/json; charset=utf-8",
      host: "console.example.org", origin: "https://console.example.org",
      fetchSite: "same-origin")
    change(&head)
    return head
  }

  @Test func `a request of the console's page is allowed`() {
    #expect(check.allows(head()))
    #expect(
      check.allows(
        head {
          $0.origin = nil
          $0.fetchSite = nil
        }))
    #expect(
      check.allows(
        head {
          $0.method = "GET"
          $0.path = "live"
          $0.contentType = nil
        }))
    #expect(
      check.allows(
        head {
          $0.path = "assets/upload/t"
          $0.contentType = "application/octet-stream"
        }))
  }

  @Test func `the console refuses a request that another page has sent`() {
    #expect(!check.allows(head { $0.fetchSite = "cross-site" }))
    #expect(!check.allows(head { $0.fetchSite = "same-site" }))
    #expect(!check.allows(head { $0.fetchSite = "none" }))
    #expect(!check.allows(head { $0.origin = "https://evil.example" }))
    #expect(!check.allows(head { $0.origin = "null" }))
    #expect(!check.allows(head { $0.origin = "http://console.example.org" }))
  }

  @Test func `the console refuses a request to another host`() {
    #expect(!check.allows(head { $0.host = "rebound.example" }))
    #expect(!check.allows(head { $0.host = "example.org" }))
    #expect(!check.allows(head { $0.host = nil }))
  }

  @Test func `the console refuses a request that an HTML form can send`() {
    for type in ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data"] {
      #expect(!check.allows(head { $0.contentType = type }))
    }
    #expect(!check.allows(head { $0.contentType = nil }))
    #expect(!check.allows(head { $0.path = "assets/upload/t" }))
  }

  @Test func `the console accepts GET only for the live updates`() {
    #expect(!check.allows(head { $0.method = "GET" }))
    #expect(!check.allows(head { $0.path = "live" }))
  }
}
