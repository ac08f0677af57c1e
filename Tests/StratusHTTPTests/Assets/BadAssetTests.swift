import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusTesting
import Testing

/// Refused requests for upload URLs and receipts, and invalid URLs.
@Suite struct BadAssets {
  @Test func `a request for an upload URL needs a signed-in user`() async throws {
    try await withServer { server in
      let token: JSON = ["recordType": "Note", "fieldName": "photo"]
      for endpoint in ["assets/upload", "assets/rereference"] {
        let body: JSON = ["tokens": [token], "assets": []]
        let answer = try await server.otherUser.answer(endpoint, body)
        answer.expectRefusal(endpoint, code: "AUTHENTICATION_REQUIRED")
        #expect(answer.status == 421)
      }
    }
  }

  @Test func `malformed requests for upload URLs are refused`() async throws {
    try await withAnna { anna in
      let bad: [JSON] = [
        [:], ["tokens": "many"], ["tokens": [[:]]], ["tokens": ["photo"]],
        ["tokens": [["recordType": "Note"]]], ["tokens": [["fieldName": 5]]],
        ["tokens": [["fieldName": "a b", "recordType": "Note"]]],
        ["tokens": [["fieldName": "photo", "recordType": "No te"]]],
        ["tokens": [["fieldName": "photo", "recordType": "Note", "recordName": "_x"]]],
        ["tokens": [["fieldName": "photo", "recordType": "Note", "recordName": ""]]],
        ["tokens": .array(.init(repeating: ["fieldName": "photo"], count: 201))],
      ]
      for body in bad {
        try await anna.answer("assets/upload", body).expectRefusal("\(body)", code: "BAD_REQUEST")
      }
      let most: JSON = ["tokens": .array(.init(repeating: ["fieldName": "photo"], count: 200))]
      #expect(try await anna.post("assets/upload", most)["tokens"].array?.count == 200)
      #expect(try await anna.post("assets/upload", ["tokens": []])["tokens"] == [])
    }
  }

  @Test func `a request for an upload URL in a missing zone is refused`() async throws {
    try await withAnna { anna in
      let body: JSON = [
        "zoneID": ["zoneName": "Nowhere"], "tokens": [["fieldName": "photo"]], "assets": [],
      ]
      for endpoint in ["assets/upload", "assets/rereference"] {
        let answer = try await anna.answer(endpoint, body)
        answer.expectRefusal(endpoint, code: "ZONE_NOT_FOUND")
      }
    }
  }

  @Test func `a field that is not an asset field accepts no file`() async throws {
    try await withAnna { anna in
      try await anna.save("n", fields: ["title": ["value": "Milk"]])
      let tokens: [JSON] = [
        ["recordName": "m", "recordType": "Note", "fieldName": "title"],
        ["recordName": "n", "fieldName": "title"],
      ]
      for token in tokens {
        let answer = try await anna.answer("assets/upload", ["tokens": [token]])
        answer.expectRefusal("\(token)", code: "BAD_REQUEST")
        #expect(answer.reason?.contains("defined to be: STRING") == true)
      }
    }
  }

  @Test func `production refuses uploads for fields that are missing in its schema`() async throws {
    try await withServer { server in
      var anna = try await server.client("anna@example.org")
      try await anna.saveNote(photo: try await anna.upload(abc))
      anna.environment = "production"
      let token: JSON = ["recordType": "Note", "fieldName": "photo"]
      try await anna.answer("assets/upload", ["tokens": [token]])
        .expectRefusal("an unknown type", code: "BAD_REQUEST")
      try await server.manage(
        "schema/deploy", ["containerID": "iCloud.org.example.Notes"])
      try await anna.answer("assets/upload", ["tokens": [token.with("fieldName", "sound")]])
        .expectRefusal("an unknown field", code: "BAD_REQUEST")
      try await anna.saveNote(photo: try await anna.upload(abc))
    }
  }

  @Test func `a user cannot upload a file for another user's public record`() async throws {
    try await withServer { server in
      var anna = try await server.client("anna@example.org")
      var bea = try await server.client("bea@example.org")
      (anna.database, bea.database) = ("public", "public")
      try await anna.save("n")
      let token: JSON = ["recordName": "n", "recordType": "Note", "fieldName": "photo"]
      try await bea.answer("assets/upload", ["tokens": [token]])
        .expectRefusal("another's record", code: "ACCESS_DENIED")
      try await anna.saveNote("n", photo: try await anna.upload(abc))
      // Every caller can read public records.
      let record = try await server.otherUser.lookup(["n"])[0]
      let url = try #require(record["fields"]["photo"]["value"]["downloadURL"].string)
      #expect(try await server.otherUser.transfer(.get, url).bytes == abc)
    }
  }

  @Test func `a URL that the server never issued gives status 404`() async throws {
    try await withAnna { anna in
      try await anna.saveNote(photo: try await anna.upload(abc))
      let upload = try await anna.uploadURL()
      let download = try await anna.downloadURL()
      let ticket = try #require(upload.split(separator: "/").last)
      let middle = ticket.index(ticket.startIndex, offsetBy: ticket.count / 2)
      let changed =
        String(ticket[..<middle]) + (ticket[middle] == "A" ? "B" : "A")
        + String(ticket[ticket.index(after: middle)...])
      let bad = [
        "http://stratus.test/assets/upload/", "http://stratus.test/assets/upload",
        "http://stratus.test/assets/upload/x", "http://stratus.test/assets/upload/%00",
        "http://stratus.test/assets/upload/\(changed)", "\(upload)A", String(upload.dropLast(1)),
        download.replacing("/download/", with: "/upload/"),
        "http://stratus.test/assets/x/\(ticket)",
      ]
      for url in bad {
        for method in [HTTPRequest.Method.get, .post] {
          let answer = try await anna.transfer(method, url, method == .post ? abc : [])
          #expect(answer.status == 404, "\(method) \(url)")
          #expect(try answer.json["serverErrorCode"] == "NOT_FOUND")
          #expect(try answer.json["singleFile"].isNull)
        }
      }
      for url in [upload.replacing("/upload/", with: "/download/"), "\(download)A"] {
        #expect(try await anna.transfer(.get, url).status == 404)
      }
    }
  }

  @Test func `an upload URL is valid for 15 minutes, and longer during an upload`() async throws {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      let anna = try await server.client("anna@example.org")
      let (url, late) = (try await anna.uploadURL(), try await anna.uploadURL())
      clock.move(bySeconds: 900)
      let first = try await anna.transfer(
        .put, url, headers: ["Content-Range": "bytes 0-1/3"], [97, 98])
      #expect(first.status == 200)
      clock.move(bySeconds: 900)
      let refused = try await anna.transfer(.post, late, abc)
      #expect(refused.status == 403)
      #expect(try refused.json["serverErrorCode"] == "ACCESS_DENIED")
      #expect(try refused.json["singleFile"].isNull)
      let last = try await anna.transfer(
        .put, url, headers: ["Content-Range": "bytes 2-2/3"], [99])
      #expect(last.status == 200)
      clock.move(bySeconds: 901)
      #expect(try await anna.transfer(.get, url).status == 403)
    }
  }

  @Test func `a download URL is valid for at least one hour and at most two`() async throws {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      let anna = try await server.client("anna@example.org")
      try await anna.saveNote(photo: try await anna.upload(abc))
      let url = try await anna.downloadURL()
      clock.move(bySeconds: 60)
      #expect(try await anna.downloadURL() == url)
      clock.move(bySeconds: 3_540)
      #expect(try await anna.transfer(.get, url).status == 200)
      clock.move(bySeconds: 3_601)
      let late = try await anna.transfer(.get, url)
      #expect(late.status == 403)
      #expect(try late.json["serverErrorCode"] == "ACCESS_DENIED")
    }
  }

  @Test(arguments: [HTTPRequest.Method.delete, .patch, .head])
  func `an upload URL refuses the methods DELETE, PATCH and HEAD`(method: HTTPRequest.Method)
    async throws
  {
    try await withAnna { anna in
      let answer = try await anna.transfer(method, try await anna.uploadURL(), abc)
      #expect(answer.status == 405)
    }
  }
}

extension Client {
  /// The ticket in an upload URL.
  func ticket() async throws -> String {
    String(try #require(try await uploadURL().split(separator: "/").last))
  }
}
