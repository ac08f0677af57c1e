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

  @Test func `a request of another page is refused`() {
    #expect(!check.allows(head { $0.fetchSite = "cross-site" }))
    #expect(!check.allows(head { $0.fetchSite = "same-site" }))
    #expect(!check.allows(head { $0.fetchSite = "none" }))
    #expect(!check.allows(head { $0.origin = "https://evil.example" }))
    #expect(!check.allows(head { $0.origin = "null" }))
    #expect(!check.allows(head { $0.origin = "http://console.example.org" }))
  }

  @Test func `a request to another host is refused`() {
    #expect(!check.allows(head { $0.host = "rebound.example" }))
    #expect(!check.allows(head { $0.host = "example.org" }))
    #expect(!check.allows(head { $0.host = nil }))
  }

  @Test func `a request that a form can send is refused`() {
    for type in ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data"] {
      #expect(!check.allows(head { $0.contentType = type }))
    }
    #expect(!check.allows(head { $0.contentType = nil }))
    #expect(!check.allows(head { $0.path = "assets/upload/t" }))
  }

  @Test func `only the live updates are fetched by GET`() {
    #expect(!check.allows(head { $0.method = "GET" }))
    #expect(!check.allows(head { $0.path = "live" }))
  }
}
