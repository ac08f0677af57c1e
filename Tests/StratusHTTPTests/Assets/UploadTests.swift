import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusTesting
import Testing

/// The endpoint `assets/upload` and its URLs.
@Suite struct Uploads {
  @Test
  func `upload URLs come in the requested order and contain no percent or dollar sign`()
    async throws
  {
    try await withAnna { anna in
      let targets = try await anna.uploadTargets([
        ["recordName": "b", "recordType": "Note", "fieldName": "photo"],
        ["recordName": "a", "recordType": "Note", "fieldName": "sound"],
        ["recordType": "Note", "fieldName": "photo"],
        ["recordName": "c", "fieldName": "photo"],
      ])
      #expect(targets.array?.map { $0["recordName"].string }.prefix(2) == ["b", "a"])
      #expect(targets[1]["fieldName"] == "sound")
      #expect(targets[2]["recordName"].string?.isEmpty == false)
      #expect(targets[3]["recordName"] == "c")
      let urls = try #require(targets.array).compactMap(\.["url"].string)
      #expect(Set(urls).count == 4)
      for url in urls {
        #expect(url.hasPrefix("http://stratus.test/assets/upload/"))
        #expect(!url.contains("%") && !url.contains("$"))
      }
    }
  }

  @Test func `the answer to an upload is the asset dictionary with a receipt`() async throws {
    try await withAnna { anna in
      let answer = try await anna.transfer(.post, try await anna.uploadURL(), abc)
      #expect(answer.status == 200)
      #expect(try answer.header("Content-Type") == "application/json; charset=UTF-8")
      let file = try answer.json["singleFile"]
      #expect(file["fileChecksum"] == "\(checksumOfABC)")
      #expect(file["size"] == 3)
      #expect(file["receipt"].string?.isEmpty == false)
    }
  }

  @Test(arguments: [
    nil, "application/octet-stream", "text/plain;charset=UTF-8", "image/jpeg",
    "application/x-www-form-urlencoded",
  ])
  func `a request body of any content type becomes the file`(contentType: String?)
    async throws
  {
    try await withAnna { anna in
      for method in [HTTPRequest.Method.post, .put] {
        let headers = contentType.map { ["Content-Type": $0] } ?? [:]
        let url = try await anna.uploadURL()
        let answer = try await anna.transfer(method, url, headers: headers, abc)
        #expect(try answer.json["singleFile"]["fileChecksum"] == "\(checksumOfABC)")
      }
    }
  }

  @Test func `an empty file can be uploaded`() async throws {
    try await withAnna { anna in
      let file = try await anna.upload([])
      #expect(file["size"] == 0)
      #expect(file["fileChecksum"] == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
      try await anna.saveNote(photo: file)
      let fetched = try await anna.transfer(.get, try await anna.downloadURL())
      #expect(fetched.status == 200 && fetched.bytes.isEmpty)
    }
  }

  @Test func `the server ignores credentials in an upload request`() async throws {
    try await withAnna { anna in
      let headers = [
        "Origin": "https://notes.example.org", "Authorization": "Bearer nonsense",
        "X-Apple-CloudKit-Request-KeyID": "key",
      ]
      let url = try await anna.uploadURL()
      let answer = try await anna.transfer(.post, url + "?ckAPIToken=x", headers: headers, abc)
      #expect(answer.status == 200)
      #expect(try answer.header("Access-Control-Allow-Origin") == "*")
      #expect(try answer.header("Access-Control-Allow-Credentials") == nil)
    }
  }

  @Test func `a CORS preflight of an upload allows the headers that web pages need`() async throws {
    try await withAnna { anna in
      let answer = try await anna.transfer(
        .options, try await anna.uploadURL(),
        headers: [
          "Origin": "https://notes.example.org", "Access-Control-Request-Method": "PUT",
          "Access-Control-Request-Headers": "content-range",
        ])
      #expect(answer.status == 200)
      #expect(try answer.header("Access-Control-Allow-Origin") == "*")
      #expect(try answer.header("Access-Control-Allow-Headers") == "content-range")
      let methods = try #require(try answer.header("Access-Control-Allow-Methods"))
      for method in ["GET", "POST", "PUT"] { #expect(methods.contains(method)) }
    }
  }

  @Test func `a second upload to a URL gets the first upload's answer`() async throws {
    try await withAnna { anna in
      let url = try await anna.uploadURL()
      let first = try await anna.upload(abc, to: url)
      let second = try await anna.upload(Array("other bytes".utf8), to: url)
      #expect(second["fileChecksum"] == first["fileChecksum"] && second["size"] == 3)
      try await anna.saveNote(photo: second)
    }
  }

  @Test
  func `a client that lost the answer to an upload can request the answer again`() async throws {
    try await withAnna { anna in
      let url = try await anna.uploadURL()
      let before = try await anna.transfer(.get, url)
      #expect(before.status == 200)
      #expect(try before.json == ["received": 0])
      _ = try await anna.upload(abc, to: url)
      let after = try await anna.transfer(.get, url).json
      #expect(after["singleFile"]["fileChecksum"] == "\(checksumOfABC)")
      try await anna.saveNote(photo: after["singleFile"])
    }
  }

  @Test func `upload URLs start with the base URL that the client used`() async throws {
    try await withAnna { anna in
      var head = HTTPRequest(
        method: .post, scheme: "http", authority: "10.0.0.7:8080",
        path: anna.target("assets/upload"))
      head.headerFields[.origin] = "https://a.example"
      let body: JSON = ["tokens": [["recordType": "Note", "fieldName": "photo"]]]
      let (_, answer) = await anna.router.answer(head, body: WholeBody(try body.bytes))
      let json = try JSON(parsing: try await answer.collected())
      let url = try #require(json["tokens"][0]["url"].string)
      #expect(url.hasPrefix("http://10.0.0.7:8080/assets/upload/"))
    }
  }

  @Test func `equal bytes of several uploads are stored once`() async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let bea = try await server.client("bea@example.org")
      try await anna.saveNote(photo: try await anna.upload(abc))
      try await bea.saveNote(photo: try await bea.upload(abc))
      #expect(try server.files().count == 1)
      #expect(try await bea.transfer(.get, try await bea.downloadURL()).bytes == abc)
    }
  }
}
