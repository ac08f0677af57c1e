import Foundation
import StratusTesting
import Testing

/// A deletion also deletes every record that refers to the deleted record by `DELETE_SELF`, however
/// many records there are.
@Suite struct Cascades {
  @Test
  func `the answer to a deletion has only the requested record, and the feed has all deletions`()
    async throws
  {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      _ = try await anna.modify(
        [.save("t"), .save("a", to: "t"), .save("b", to: "a"), .save("c", to: "t", by: "NONE")],
        in: "Work")
      let token = try await anna.feed(of: "Work").token
      #expect(
        try await anna.modify([.delete("t")], in: "Work")
          == [["recordName": "t", "deleted": true]])
      let feed = try await anna.feed(of: "Work", since: token)
      #expect(feed.deleted.sorted() == ["a", "b", "t"])
      #expect(feed.live == [])
      let found = try await anna.lookup(["a", "b", "c"], in: "Work")
      #expect(found[0]["serverErrorCode"] == "NOT_FOUND")
      #expect(found[1]["serverErrorCode"] == "NOT_FOUND")
      #expect(found[2]["recordName"] == "c")
    }
  }

  @Test(arguments: ["delete", "forceDelete"])
  func `a small cascade in the default zone is complete when the request is answered`(kind: String)
    async throws
  {
    try await withAnna { anna in
      let saved = try await anna.modify([.save("t"), .save("a", to: "t")])
      let deletion: JSON = [
        "operationType": .string(kind),
        "record": ["recordName": "t", "recordChangeTag": saved[0]["recordChangeTag"]],
      ]
      #expect(try await anna.modify([deletion])[0]["deleted"] == true)
      #expect(try await anna.lookup(["a"])[0]["serverErrorCode"] == "NOT_FOUND")
    }
  }

  @Test func `a cascade in the public database deletes records of other users`() async throws {
    try await withServer { server in
      var anna = try await server.client("anna@example.org")
      var bea = try await server.client("bea@example.org")
      anna.database = "public"
      bea.database = "public"
      _ = try await anna.modify([.save("post")])
      _ = try await bea.modify([.save("comment", to: "post", parent: "post")])
      #expect(try await anna.modify([.delete("post")])[0]["deleted"] == true)
      #expect(try await bea.lookup(["comment"])[0]["serverErrorCode"] == "NOT_FOUND")
    }
  }

  @Test
  func `a record that is created again does not get its old references again`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      _ = try await anna.modify([.save("t"), .save("a", to: "t")], in: "Work")
      _ = try await anna.modify([.delete("t")], in: "Work")
      _ = try await anna.modify([.save("t"), .save("a")], in: "Work")
      _ = try await anna.modify([.delete("t")], in: "Work")
      #expect(try await anna.lookup(["a"], in: "Work")[0]["recordName"] == "a")
    }
  }

  @Test
  func `a cascade of 2,100 records runs in steps and reports each deletion once`() async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      try await anna.makeZone("Work")
      let names = try await anna.saveChildren(2_100, of: "t", in: "Work")
      let first = try await anna.feed(of: "Work")
      #expect(first.live.count == 2_101)
      #expect(try await anna.modify([.delete("t")], in: "Work")[0]["deleted"] == true)

      let second = try await anna.feed(of: "Work", since: first.token)
      #expect(second.deleted.count == 1_001)
      try await server.continueCascades(stepsMax: 1)
      let third = try await anna.feed(of: "Work", since: second.token)
      #expect(third.deleted.count == 1_000)
      try await server.continueCascades()
      let fourth = try await anna.feed(of: "Work", since: third.token)
      let deleted = second.deleted + third.deleted + fourth.deleted
      #expect(deleted.sorted() == (names + ["t"]).sorted())
      #expect((second.live + third.live + fourth.live).isEmpty)
      #expect(try await anna.feed(of: "Work").live == [])

      // The server has also deleted the references of the deleted records.
      try await anna.saveAll([.save("t"), .save("c999")], in: "Work")
      _ = try await anna.modify([.delete("t")], in: "Work")
      try await server.continueCascades()
      #expect(try await anna.feed(of: "Work").live == ["c999"])
    }
  }

  @Test func `a cascade deletes deep and broad trees completely`() async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      try await anna.makeZone("Work")
      // A chain of 600 records, and 20 records with 40 children each.
      var operations: [JSON] = [.save("t"), .save("chain0", to: "t")]
      for number in 1..<600 {
        operations.append(.save("chain\(number)", to: "chain\(number - 1)"))
      }
      for child in 0..<20 {
        operations.append(.save("c\(child)", to: "t"))
        for number in 0..<40 {
          operations.append(.save("c\(child)-\(number)", to: "c\(child)"))
        }
      }
      try await anna.saveAll(operations, in: "Work")
      let token = try await anna.feed(of: "Work").token
      _ = try await anna.modify([.delete("t")], in: "Work")
      try await server.continueCascades()
      let feed = try await anna.feed(of: "Work", since: token)
      #expect(feed.deleted.count == operations.count)
      #expect(Set(feed.deleted).count == operations.count)
      #expect(try await anna.feed(of: "Work").live == [])
    }
  }

  @Test
  func `a server that stops during a cascade continues the cascade after a restart`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-cascade-" + UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    var server = try await TestServer(folder: folder)
    var anna = try await server.client("anna@example.org")
    try await anna.makeZone("Work")
    _ = try await anna.saveChildren(2_100, of: "t", in: "Work")
    let token = try await anna.feed(of: "Work").token
    _ = try await anna.modify([.delete("t")], in: "Work")
    var deleted: [String] = []
    var place = token
    var stops = 0
    while true {
      await server.stop()
      server = try await TestServer(folder: folder)
      anna = try await server.client("anna@example.org")
      let feed = try await anna.feed(of: "Work", since: place)
      deleted += feed.deleted
      place = feed.token
      if feed.deleted.isEmpty { break }
      stops += 1
      try await server.continueCascades(stepsMax: 1)
    }
    #expect(stops == 3)
    #expect(deleted.count == 2_101)
    #expect(Set(deleted).count == 2_101)
    #expect(try await anna.feed(of: "Work").live == [])
    await server.stop()
  }

  @Test func `a reference that is saved after its target was deleted does not cascade`()
    async throws
  {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      try await anna.makeZone("Work")
      let names = try await anna.saveChildren(1_200, of: "t", in: "Work")
      _ = try await anna.modify([.delete("t")], in: "Work")
      let left = try #require(try await anna.feed(of: "Work").live.sorted().last)
      #expect(names.contains(left))
      let tag = try await anna.lookup([left], in: "Work")[0]["recordChangeTag"]

      // The record can still be read, but writers see it as already deleted.
      let late = try await anna.modify([.save(left, "update", tag: tag)], in: "Work")
      #expect(late[0]["serverErrorCode"] == "NOT_FOUND")
      _ = try await anna.modify([.save("t")], in: "Work")
      let again = try await anna.modify(
        [.save("new", to: "t"), .save(left, to: "t", "create")], in: "Work")
      #expect(again[0]["serverErrorCode"].isNull)
      #expect(again[1]["serverErrorCode"].isNull)

      try await server.continueCascades()
      #expect(try await anna.feed(of: "Work").live.sorted() == [left, "new", "t"].sorted())
      // The new references belong to the new target.
      _ = try await anna.modify([.delete("t")], in: "Work")
      #expect(try await anna.feed(of: "Work").live == [])
    }
  }

  @Test func `records that refer to the deleted version of a recreated record are deleted`()
    async throws
  {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      try await anna.makeZone("Work")
      _ = try await anna.saveChildren(1_200, of: "t", in: "Work")
      // `c999` is the last name in byte order. The first step of the cascade does not reach it.
      _ = try await anna.modify([.save("before", to: "c999")], in: "Work")
      _ = try await anna.modify([.delete("t")], in: "Work")
      let left = try await anna.feed(of: "Work").live
      try #require(left.contains("c999") && left.contains("before"))
      let again = try await anna.modify(
        [.save("c999", "create"), .save("within", to: "c999")], in: "Work")
      for record in again.array ?? [] { #expect(record["serverErrorCode"].isNull) }
      _ = try await anna.modify([.save("after", to: "c999")], in: "Work")
      try await server.continueCascades()
      #expect(try await anna.feed(of: "Work").live.sorted() == ["after", "c999", "within"])
    }
  }

  @Test func `a cascade of large records uses smaller steps`() async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      try await anna.makeZone("Work")
      _ = try await anna.modify([.save("t")], in: "Work")
      let token = try await anna.feed(of: "Work").token
      // Twenty of these records exceed 8 MiB together.
      let body = JSON.string(String(repeating: "x", count: 450_000))
      let large = (10..<54).map { JSON.save("c\($0)", to: "t", body: body) }
      for start in stride(from: 0, to: large.count, by: 4) {
        let saved = try await anna.modify(.array(Array(large[start..<start + 4])), in: "Work")
        #expect(saved[3]["serverErrorCode"].isNull)
      }
      _ = try await anna.modify([.delete("t")], in: "Work")
      for gone in [21, 41, 45] {
        #expect(try await anna.feed(of: "Work", since: token).deleted.count == gone)
        try await server.continueCascades(stepsMax: 1)
      }
    }
  }

  @Test
  func `a cascade ends even if many records refer to a new record with the target's name`()
    async throws
  {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      try await anna.makeZone("Work")
      _ = try await anna.saveChildren(1_200, of: "t", in: "Work")
      _ = try await anna.modify([.delete("t")], in: "Work")
      let new = (0..<1_100).map { JSON.save("a\($0)", to: "t") }
      try await anna.saveAll([.save("t")] + new, in: "Work")
      try await server.continueCascades()
      #expect(try await anna.feed(of: "Work").live.count == 1_101)
      _ = try await anna.modify([.delete("t")], in: "Work")
      try await server.continueCascades()
      #expect(try await anna.feed(of: "Work").live == [])
    }
  }

  @Test func `the deletion of a zone ends the unfinished cascades of the zone`() async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      try await anna.makeZone("Work")
      _ = try await anna.saveChildren(1_100, of: "t", in: "Work")
      _ = try await anna.modify([.delete("t")], in: "Work")
      try await anna.deleteZone("Work")
      try await anna.makeZone("Work")
      _ = try await anna.modify([.save("t"), .save("c999", to: "t")], in: "Work")
      try await server.continueCascades()
      #expect(try await anna.feed(of: "Work").live.sorted() == ["c999", "t"])
    }
  }
}

extension JSON {
  fileprivate static func save(_ name: String, to target: String, body: JSON) -> JSON {
    let owner: JSON = ["recordName": .string(target), "action": "DELETE_SELF"]
    return [
      "operationType": "create",
      "record": [
        "recordName": .string(name), "recordType": "Note",
        "fields": [
          "owner": ["value": owner, "type": "REFERENCE"],
          "body": ["value": body, "type": "STRING"],
        ],
      ],
    ]
  }
}

extension Client {
  /// Saves notes `c0`, `c1` … that refer to a target, and the target.
  ///
  /// - Returns: the names of the notes.
  func saveChildren(_ count: Int, of target: String, in zone: String) async throws -> [String] {
    let names = (0..<count).map { "c\($0)" }
    try await saveAll([.save(target)] + names.map { .save($0, to: target) }, in: zone)
    return names
  }

  func saveAll(_ operations: [JSON], in zone: String) async throws {
    for start in stride(from: 0, to: operations.count, by: 400) {
      let part = operations[start..<min(start + 400, operations.count)]
      let saved = try await modify(.array(Array(part)), in: zone)
      for record in saved.array ?? [] { try #require(record["serverErrorCode"].isNull) }
    }
  }

  /// Reads a zone's changes since a token, to the end. Each name appears as often as the feed
  /// reports it.
  func feed(
    of zone: String, since token: JSON = nil
  ) async throws -> (live: [String], deleted: [String], token: JSON) {
    var (live, deleted, token) = ([String](), [String](), token)
    while true {
      let page = try await changes(in: zone, since: token)
      for record in page["records"].array ?? [] {
        let name = try #require(record["recordName"].string)
        if record["deleted"] == true { deleted.append(name) } else { live.append(name) }
      }
      token = page["syncToken"]
      if page["moreComing"] != true { return (live, deleted, token) }
    }
  }
}
