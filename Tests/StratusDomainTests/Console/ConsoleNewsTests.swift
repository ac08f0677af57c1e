import StratusWire
import Testing

@testable import StratusDomain

@Suite struct `The news of the console` {
  private let address = DatabaseAddress(
    store: StoreAddress(container: "c", environment: .production), scope: .private)

  @Test func `a repeated change is kept once until the page takes the news`() {
    let news = ConsoleNews()
    let mailbox = news.listen()
    for _ in 0..<3 { news.note(endpoint: "records/modify", in: address) }
    #expect(
      mailbox.take() == [
        ConsoleChange(
          area: "records", containerID: "c", environment: .production, database: .private)
      ])
    #expect(mailbox.take() == [])
  }

  @Test(.timeLimit(.minutes(1)))
  func `the first change after a page has taken the news yields a signal`() async {
    let news = ConsoleNews()
    let mailbox = news.listen()
    var signals = mailbox.signals.makeAsyncIterator()
    for _ in 0..<3 {
      for _ in 0..<2 { news.note(endpoint: "records/modify", in: address) }
      _ = await signals.next()
      #expect(mailbox.take().count == 1)
    }
  }

  @Test func `the news that one page takes stays in the mailboxes of other pages`() {
    let news = ConsoleNews()
    let (early, late) = (news.listen(), news.listen())
    news.note(ConsoleChange(area: "records"))
    #expect(early.take() == [ConsoleChange(area: "records")])
    news.note(ConsoleChange(area: "schema"))
    #expect(early.take() == [ConsoleChange(area: "schema")])
    #expect(late.take() == [ConsoleChange(area: "records"), ConsoleChange(area: "schema")])
  }

  @Test(arguments: ["records/query", "changes/zone", "users/caller"])
  func `a request that only reads makes no news`(_ endpoint: String) {
    let news = ConsoleNews()
    let mailbox = news.listen()
    news.note(endpoint: endpoint, in: address)
    #expect(mailbox.take() == [])
  }

  @Test func `a dry run and a list make no news`() {
    let news = ConsoleNews()
    let mailbox = news.listen()
    news.note(managementEndpoint: "schema/change", sent: Array(#"{"isDryRun":true}"#.utf8))
    news.note(managementEndpoint: "accounts/list", sent: [])
    #expect(mailbox.take() == [])
    news.note(managementEndpoint: "schema/change", sent: Array("{}".utf8))
    #expect(mailbox.take() == [ConsoleChange(area: "schema")])
  }

  @Test func `too many different changes are replaced by one change of everything`() {
    let news = ConsoleNews()
    let mailbox = news.listen()
    for number in 0..<100 { news.note(ConsoleChange(area: "records", containerID: "\(number)")) }
    let changes = mailbox.take()
    #expect(changes.count <= 64)
    #expect(changes.contains(ConsoleChange(area: ConsoleChange.everything)))
  }

  @Test func `a page that has stopped listening gets no more news`() async {
    let news = ConsoleNews()
    let mailbox = news.listen()
    let task = Task { for await _ in mailbox.signals {} }
    task.cancel()
    await task.value
    news.note(ConsoleChange(area: "records"))
    #expect(mailbox.take() == [])
  }
}
