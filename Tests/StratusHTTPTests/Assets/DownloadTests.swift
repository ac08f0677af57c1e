import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusTesting
import Testing

/// Download URLs, range requests and conditional requests (RFC 9110).
@Suite struct Downloads {
  private static let contents = Array("0123456789".utf8)

  private func withPhoto(_ body: (Client, _ url: String) async throws -> Void) async throws {
    try await withAnna { anna in
      try await anna.saveNote(photo: try await anna.upload(Self.contents))
      try await body(anna, try await anna.downloadURL())
    }
  }

  @Test func `every caller that has the download URL gets the whole file`() async throws {
    try await withPhoto { anna, url in
      #expect(!url.contains("%"))
      let answer = try await anna.transfer(.get, url)
      #expect(answer.status == 200)
      #expect(answer.bytes == Self.contents)
      #expect(try answer.header("Accept-Ranges") == "bytes")
      #expect(try answer.header("Access-Control-Allow-Origin") == "*")
      let caching = try #require(try answer.header("Cache-Control"))
      #expect(caching.contains("private") && caching.contains("immutable"))
    }
  }

  /// OWASP ASVS 3.2.1 and 5.3.1.
  @Test func `a browser does not show a downloaded file as a page`() async throws {
    try await withPhoto { anna, url in
      let answer = try await anna.transfer(.get, url)
      #expect(try answer.header("Content-Type") == "application/octet-stream")
      #expect(try answer.header("X-Content-Type-Options") == "nosniff")
      #expect(try answer.header("Content-Disposition") == "attachment")
      #expect(
        try answer.header("Content-Security-Policy")
          == "default-src 'none'; frame-ancestors 'none'; sandbox")
    }
  }

  /// Two runs of `stratus web-token rotate-key` make leaked URLs invalid.
  @Test
  func `a download URL works after one rotation of the server's keys, and not after two`()
    async throws
  {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      try await anna.saveNote(photo: try await anna.upload(Self.contents))
      let url = try await anna.downloadURL()
      var found: [Int] = []
      for _ in 0..<3 {
        found.append(try await anna.transfer(.get, url).status)
        try await server.manage("web-tokens/rotate-key", [:])
      }
      #expect(found[..<2] == [200, 200])
      #expect(found[2] >= 400)
      let anew = try await server.client("anna@example.org")
      let new = try await anew.downloadURL()
      #expect(try await anew.transfer(.get, new).bytes == Self.contents)
    }
  }

  /// The URL contains no user (docs/internals/rights.md, *What could go wrong*).
  @Test(arguments: ["accounts/disable", "accounts/restrict"])
  func `a download URL works until it expires, even if its user is disabled or restricted`(
    endpoint: String
  ) async throws {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      let anna = try await server.client("anna@example.org")
      try await anna.saveNote(photo: try await anna.upload(Self.contents))
      let url = try await anna.downloadURL()
      try await server.manage(endpoint, ["email": "anna@example.org"])
      #expect(try await anna.transfer(.get, url).bytes == Self.contents)
      clock.move(bySeconds: 2 * 3_600 + 1)
      #expect(try await anna.transfer(.get, url).status == 403)
    }
  }

  @Test(arguments: ["/photo.jpg", "/$%7Bf%7D", "/${f}", "?x=1"])
  func `a file name at the end of a download URL has no effect`(name: String) async throws {
    try await withPhoto { anna, url in
      let answer = try await anna.transfer(.get, url + name)
      #expect(answer.status == 200 && answer.bytes == Self.contents)
    }
  }

  @Test(arguments: [
    ("bytes=0-0", "0", "bytes 0-0/10"), ("bytes=2-4", "234", "bytes 2-4/10"),
    ("bytes=7-", "789", "bytes 7-9/10"), ("bytes=-2", "89", "bytes 8-9/10"),
    ("bytes=8-99", "89", "bytes 8-9/10"), ("bytes=-99", "0123456789", "bytes 0-9/10"),
    ("Bytes = 2-4", "234", "bytes 2-4/10"),
  ])
  func `a range request gets the requested bytes`(range: String, text: String, told: String)
    async throws
  {
    try await withPhoto { anna, url in
      let answer = try await anna.transfer(.get, url, headers: ["Range": range])
      #expect(answer.status == 206)
      #expect(answer.text == text)
      #expect(try answer.header("Content-Range") == told)
    }
  }

  @Test(arguments: ["bytes=10-", "bytes=10-12", "bytes=-0", "bytes=99999999999-"])
  func `a range request beyond the end of the file gives status 416`(range: String) async throws {
    try await withPhoto { anna, url in
      let answer = try await anna.transfer(.get, url, headers: ["Range": range])
      #expect(answer.status == 416)
      #expect(try answer.header("Content-Range") == "bytes */10")
      #expect(answer.bytes.isEmpty)
    }
  }

  @Test(arguments: [
    "bytes=0-1,4-5", "bytes=4-2", "bytes=a-b", "items=0-1", "bytes", "bytes=", "bytes=-", "",
    "bytes=99999999999999999999-",
  ])
  func `a request with a malformed range or with several ranges gets the whole file`(
    range: String
  ) async throws {
    try await withPhoto { anna, url in
      let answer = try await anna.transfer(.get, url, headers: ["Range": range])
      #expect(answer.status == 200 && answer.bytes == Self.contents)
      #expect(try answer.header("Content-Range") == nil)
    }
  }

  @Test func `a client that already has the file gets status 304`() async throws {
    try await withPhoto { anna, url in
      let tag = try #require(try await anna.transfer(.get, url).header("ETag"))
      for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
        let answer = try await anna.transfer(.get, url, headers: ["If-None-Match": known])
        #expect(answer.status == 304, "\(known)")
        #expect(answer.bytes.isEmpty)
        #expect(try answer.header("ETag") == tag)
      }
      let other = try await anna.transfer(.get, url, headers: ["If-None-Match": "\"other\""])
      #expect(other.status == 200)
      let changed = try await anna.transfer(.get, url, headers: ["If-Match": "\"other\""])
      #expect(changed.status == 412)
      #expect(try await anna.transfer(.get, url, headers: ["If-Match": tag]).status == 200)
    }
  }

  @Test func `a range request for another version of the file gets the whole file`() async throws {
    try await withPhoto { anna, url in
      let tag = try #require(try await anna.transfer(.get, url).header("ETag"))
      let same = try await anna.transfer(
        .get, url, headers: ["Range": "bytes=2-4", "If-Range": tag])
      #expect(same.status == 206)
      for other in ["\"other\"", "Sat, 01 Jan 2000 00:00:00 GMT", "W/\(tag)"] {
        let whole = try await anna.transfer(
          .get, url, headers: ["Range": "bytes=2-4", "If-Range": other])
        #expect(whole.status == 200 && whole.bytes == Self.contents, "\(other)")
      }
    }
  }

  @Test func `the answer to HEAD has the headers of the answer to GET and no body`() async throws {
    try await withPhoto { anna, url in
      let answer = try await anna.transfer(.head, url)
      #expect(answer.status == 200)
      #expect(answer.bytes.isEmpty)
      #expect(try answer.header("ETag") != nil)
      #expect(try await anna.transfer(.head, url + "x").status == 404)
    }
  }

  @Test(arguments: [HTTPRequest.Method.put, .delete, .patch])
  func `a download URL refuses uploads`(method: HTTPRequest.Method) async throws {
    try await withPhoto { anna, url in
      let answer = try await anna.transfer(method, url, abc)
      #expect(answer.status == 405)
      #expect(try answer.json["serverErrorCode"] == "BAD_REQUEST")
      #expect(try answer.header("Allow")?.contains("GET") == true)
    }
  }

  @Test
  func `an answer has no download URL if desiredKeys do not contain the asset field`()
    async throws
  {
    try await withPhoto { anna, _ in
      let body: JSON = ["records": [["recordName": "n"]], "desiredKeys": ["title"]]
      let record = try await anna.post("records/lookup", body)["records"][0]
      #expect(record["fields"] == [:])
    }
  }

  @Test func `saves, lookups, changes and conflicts return download URLs for files`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Z")
      let file = try await anna.upload(abc)
      let saved = try await anna.saveNote(photo: file, in: "Z")
      let found = try await anna.lookup(["n"], in: "Z")[0]
      let changed = try await anna.changes(in: "Z")["records"][0]
      let conflict = try await anna.save("n", in: "Z", "create")["serverRecord"]
      for record in [saved, found, changed, conflict] {
        let photo = record["fields"]["photo"]
        #expect(photo["type"] == "ASSETID")
        #expect(photo["value"]["fileChecksum"] == "\(checksumOfABC)")
        #expect(photo["value"]["size"] == 3)
        #expect(photo["value"]["receipt"].isNull)
        let url = try #require(photo["value"]["downloadURL"].string, "\(record)")
        #expect(try await anna.transfer(.get, url).bytes == abc)
      }
    }
  }

  @Test(arguments: [true, false])
  func `an upload of the same bytes replaces a lost file`(isGone: Bool) async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      try await anna.saveNote(photo: try await anna.upload(abc))
      let lost = try server.files()
      if isGone { try server.loseFiles() } else { try server.emptyFiles() }
      try await anna.saveNote("m", photo: try await anna.upload(abc))
      for name in ["n", "m"] {
        #expect(try await anna.transfer(.get, try await anna.downloadURL(of: name)).bytes == abc)
      }
      #expect(try server.files().count == 1)
      #expect(try server.files().isDisjoint(with: lost))
    }
  }

  @Test func `the download of a lost file gives status 404 with a JSON error`() async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      try await anna.saveNote(photo: try await anna.upload(abc))
      let url = try await anna.downloadURL()
      try server.loseFiles()
      let answer = try await anna.transfer(.get, url)
      #expect(answer.status == 404)
      #expect(try answer.json["serverErrorCode"] == "NOT_FOUND")
      #expect(try answer.header("Content-Type") == "application/json; charset=UTF-8")
    }
  }
}
