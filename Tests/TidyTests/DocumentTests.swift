import Foundation
import Testing

/// Checks the prose and the links of the documents that git tracks.
@Suite(.enabled(if: Project.documents != nil, "the folder is not a git repository"))
struct `The documents` {
  private let documents = Project.documents ?? []

  @Test func `the documents are found`() {
    #expect(documents.contains { $0.path == "README.md" })
    #expect(documents.contains { $0.path.hasPrefix("docs/guide/") })
  }

  @Test func `the documents use plain words`() { expectNone(ProseRules.words) }

  @Test func `the documents have short sentences`() { expectNone(ProseRules.sentences) }

  @Test
  func `the documents refer only to documents in the repository`() { expectNone(LinkRules.outside) }

  @Test func `the documents link to files and headings that exist`() {
    // NB: during a merge, git lists a page several times.
    let anchors = Dictionary(documents.map { ($0.path, $0.anchors) }) { first, _ in first }
    expectNone { document in
      LinkRules.broken(
        document,
        exists: { FileManager.default.fileExists(atPath: Project.root.appending(path: $0).path) },
        anchors: { anchors[$0] })
    }
  }

  private func expectNone(_ rule: (Document) -> [Finding]) {
    for document in documents {
      for finding in rule(document) { Issue.record("\(finding.description)") }
    }
  }
}

/// Checks that every rule about documents finds its bad samples and accepts its good samples.
@Suite struct `Samples of documents` {
  private func document(_ text: String) -> Document { Document(path: "docs/X.md", text: text) }

  @Test(arguments: [
    "Who asks later begins again.", "This is a copy for who has lost the key.",
    "The server begins anew.", "Nobody reads it.", "Devices are told of a change.",
    "The nudge is lost.", "It fails. Nor is it repeated.", "Somebody reads it.", "EVERYBODY reads.",
    "It is read by anybody.", "It waits for ever.", "An error befalls it.", "It is at hand.",
    "It goes hither.", "It comes from thence.", "The key whereof it has two.",
    "Lest it fails, lest.",
    "It is for naught.", "It must needs wait.", "It is doomed.", "The courier waits.",
    "The parcel waits.", "Its errands end.", "The onlookers wait.", "For strangers.",
    "It sees to it.", "Not so here.", "So it is stored.", "Two keys. Of which one is new.",
  ]) func `a word that has a plainer alternative is reported`(_ text: String) {
    #expect(ProseRules.words(document(text)).count == 1)
  }

  @Test(arguments: [
    "The user who signed in owns the zone.", "```\nwho\nanew\n```", "<!-- anew -->",
    "`stratus account` names the person.",
  ]) func `a line of plain words is accepted`(_ text: String) {
    #expect(ProseRules.words(document(text)).isEmpty)
  }

  @Test func `a sentence over several lines is one sentence`() {
    let long = String(repeating: "word word word word word\n", count: 9)
    #expect(ProseRules.sentences(document(long)).map(\.line) == [1])
    #expect(ProseRules.sentences(document("# A\n\nShort.\n\n" + long)).map(\.line) == [5])
  }

  @Test func `short sentences, list items and table cells are accepted`() {
    let item = "- " + String(repeating: "word ", count: 30) + "\n"
    let cells = "| " + String(repeating: String(repeating: "word ", count: 30) + "| ", count: 2)
    #expect(ProseRules.sentences(document(item + item + "\n" + cells)).isEmpty)
  }

  @Test(arguments: [
    ("[a](none.md)", 1), ("[a](../README.md)", 0), ("[a](../../other.md)", 1),
    ("[a](#the-server-s-keys)", 1), ("[a](#the-servers-keys)", 0), ("[a](guide/b.md#c)", 1),
    ("[a](guide/b.md#the-servers-keys)", 0), ("[a](https://example.org/x)", 0),
  ]) func `a link is reported exactly if its target does not exist`(_ link: String, _ count: Int) {
    let page = document("## The server's keys\n\nSee \(link).")
    let known: Set = ["README.md", "docs/guide/b.md", "docs/X.md"]
    let found = LinkRules.broken(
      page, exists: known.contains, anchors: { _ in page.anchors })
    #expect(found.count == count)
  }

  @Test func `a heading that occurs twice has two anchors`() {
    #expect(document("# A b\n## A b\n### `c` (d)").anchors == ["a-b", "a-b-1", "c-d"])
  }

  @Test func `a reference to a document outside the repository is reported`() {
    #expect(LinkRules.outside(document("As in DESIGN section 4.")).count == 1)
    #expect(LinkRules.outside(document("As in semantics §23.")).count == 1)
    for name in ["web-services", "web-auth", "wire-quirks", "cloudkit-semantics"] {
      #expect(LinkRules.outside(document("See \(name).")).count == 1)
    }
    #expect(LinkRules.outside(document("By design, a query is exact.")).isEmpty)
  }
}
