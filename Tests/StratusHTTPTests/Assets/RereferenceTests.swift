import HTTPTypes
import StratusTesting
import Testing

/// The endpoint `assets/rereference`.
@Suite struct Rereferences {
  @Test func `a file can be added to another record without an upload`() async throws {
    try await withAnna { anna in
      try await anna.saveNote("a", photo: try await anna.upload(abc))
      let answer = try await anna.post(
        "assets/rereference",
        ["assets": [["recordName": "a", "fieldName": "photo"]]])
      let file = answer["assets"][0]
      #expect(file["fileChecksum"] == "\(checksumOfABC)" && file["size"] == 3)
      try await anna.saveNote("b", photo: file)
      #expect(try await anna.transfer(.get, try await anna.downloadURL(of: "b")).bytes == abc)
    }
  }

  @Test
  func `the results and errors of a rereference have the order of the request`() async throws {
    try await withAnna { anna in
      try await anna.saveNote("a", photo: try await anna.upload(abc))
      try await anna.save("a", fields: ["title": ["value": "Milk"]])
      let two = [try await anna.upload([1]), try await anna.upload([2])]
      try await anna.save("l", fields: ["photos": ["value": .array(two)]])
      let assets: JSON = [
        ["recordName": "missing", "fieldName": "photo"],
        ["recordName": "a", "fieldName": "title"],
        ["recordName": "a", "fieldName": "photo"],
        ["recordName": "a", "fieldName": "sound"],
        ["recordName": "l", "fieldName": "photos"],
      ]
      let items = try await anna.post("assets/rereference", ["assets": assets])["assets"]
      let codes = try #require(items.array).map { $0["serverErrorCode"].string }
      #expect(codes == ["NOT_FOUND", "NOT_FOUND", nil, "NOT_FOUND", "BAD_REQUEST"])
      #expect(items[0]["recordName"] == "missing")
      #expect(items[2]["receipt"].string != nil)
    }
  }

  @Test func `a rereference restarts the grace period of the file`() async throws {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      let anna = try await server.client("anna@example.org")
      try await anna.saveNote("a", photo: try await anna.upload(abc))
      clock.move(bySeconds: 100_000)
      let file = try await anna.post(
        "assets/rereference",
        ["assets": [["recordName": "a", "fieldName": "photo"]]])["assets"][0]
      _ = try await anna.modify([
        ["operationType": "forceDelete", "record": ["recordName": "a"]]
      ])
      clock.move(bySeconds: 10_000)
      await server.sweepAssets(graceSeconds: 86_400)
      try await anna.saveNote("b", photo: file)
      #expect(try await anna.transfer(.get, try await anna.downloadURL(of: "b")).bytes == abc)
    }
  }

  @Test func `a malformed rereference request is refused`() async throws {
    try await withAnna { anna in
      let bad: [JSON] = [
        [:], ["assets": "x"], ["assets": [["recordName": "a"]]],
        ["assets": [["fieldName": "a"]]],
        ["assets": .array(.init(repeating: ["recordName": "a", "fieldName": "p"], count: 201))],
      ]
      for body in bad {
        try await anna.answer("assets/rereference", body)
          .expectRefusal("\(body)", code: "BAD_REQUEST")
      }
    }
  }
}
