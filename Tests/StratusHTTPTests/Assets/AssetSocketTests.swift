import Foundation
import StratusTesting
import Testing

/// Uploads and downloads of files over a real socket.
extension Socket {
  /// The bytes of the test file. NB: they are copies of a block, because a loop over each byte
  /// would delay all other tests.
  private static let contents = {
    let block = (0..<8_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    return Array(repeating: block, count: 1_000).flatMap { $0 }
  }()

  private static func json(
    _ port: UInt16, _ query: String, _ endpoint: String, _ body: JSON
  ) async throws -> JSON {
    let bytes = try body.bytes
    let head = request(
      query, headers: "Connection: close\r\nContent-Length: \(bytes.count)\r\n",
      endpoint: endpoint)
    let answer = try await Wire(port: port).exchange(head + bytes)
    let place = try #require(answer.range(of: "\r\n\r\n"))
    return try JSON(parsing: Array(answer[place.upperBound...].utf8))
  }

  private static func send(
    _ port: UInt16, _ method: String, _ url: String, _ fields: String, _ body: [UInt8] = [],
    leaves: Bool = false
  ) async throws -> String {
    let path = try #require(URL(string: url)?.path)
    let head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(fields)\r\n"
    return try await Wire(port: port).exchange(Array(head.utf8) + body, leaves: leaves)
  }

  private static func uploadURL(_ port: UInt16, _ query: String) async throws -> String {
    let tokens: JSON = [["recordName": "photo-1", "recordType": "Note", "fieldName": "photo"]]
    let answer = try await json(port, query, "assets/upload", ["tokens": tokens])
    return try #require(answer["tokens"][0]["url"].string, "\(answer)")
  }

  private static func saved(
    _ port: UInt16, _ query: String, _ uploaded: String
  ) async throws -> String {
    let place = try #require(uploaded.range(of: "\r\n\r\n"), "\(uploaded.prefix(300))")
    let file = try JSON(parsing: Array(uploaded[place.upperBound...].utf8))["singleFile"]
    let record: JSON = [
      "recordName": "photo-1", "recordType": "Note", "fields": ["photo": ["value": file]],
    ]
    let answer = try await json(
      port, query, "records/modify",
      ["operations": [["operationType": "forceUpdate", "record": record]]])
    let photo = answer["records"][0]["fields"]["photo"]["value"]
    return try #require(photo["downloadURL"].string, "\(answer)")
  }

  @Test
  func `a file is uploaded over a socket and downloaded, as a whole and in part`() async throws {
    try await withRunningServer { port, query in
      let up = try await Self.send(
        port, "PUT", try await Self.uploadURL(port, query),
        "Content-Length: \(Self.contents.count)\r\n", Self.contents)
      #expect(up.hasPrefix("HTTP/1.1 200"), "\(up.prefix(300))")
      let url = try await Self.saved(port, query, up)
      #expect(url.hasPrefix("http://localhost/assets/download/"))
      let head = try await Self.send(port, "HEAD", url, "")
      #expect(head.lowercased().contains("content-length: 8000000\r\n"))
      #expect(head.hasSuffix("\r\n\r\n"))
      let part = try await Self.send(port, "GET", url, "Range: bytes=100-109\r\n")
      #expect(part.hasPrefix("HTTP/1.1 206"))
      let expected = String(decoding: Self.contents[100..<110], as: UTF8.self)
      #expect(part.hasSuffix("\r\n\r\n" + expected))
      let tag = try #require(head.firstMatch(of: #/(?i)etag: ("[0-9a-f]+")/#)?.output.1)
      let known = try await Self.send(port, "GET", url, "If-None-Match: \(tag)\r\n")
      #expect(known.hasPrefix("HTTP/1.1 304") && known.hasSuffix("\r\n\r\n"))
    }
  }

  @Test func `a file larger than any JSON request is uploaded in chunks`() async throws {
    try await withRunningServer { port, query in
      let chunk = Array("186A0\r\n".utf8) + [UInt8](repeating: 7, count: 100_000) + [13, 10]
      let body = (0..<80).flatMap { _ in chunk } + Array("0\r\n\r\n".utf8)
      let up = try await Self.send(
        port, "POST", try await Self.uploadURL(port, query), "Transfer-Encoding: chunked\r\n", body)
      #expect(up.contains(#""size":8000000"#), "\(up.prefix(300))")
    }
  }

  @Test func `a client that disconnects during an upload can resume it`() async throws {
    try await withRunningServer { port, query in
      let url = try await Self.uploadURL(port, query)
      let size = Self.contents.count
      _ = try await Self.send(
        port, "PUT", url, "Content-Length: \(size)\r\n", Array(Self.contents.prefix(5_000_000)),
        leaves: true)
      let state = try await Self.send(port, "GET", url, "")
      let received = try #require(
        state.firstMatch(of: #/"received":(\d+)/#).flatMap { Int($0.output.1) }, "\(state)")
      #expect(received <= 5_000_000)
      let up = try await Self.send(
        port, "PUT", url,
        "Content-Length: \(size - received)\r\n"
          + "Content-Range: bytes \(received)-\(size - 1)/\(size)\r\n",
        Array(Self.contents[received...]))
      #expect(up.contains(#""size":8000000"#), "\(up.prefix(300))")
    }
  }

  #if os(Linux)
    @Test
    func `the server closes a file when the client disconnects during its download`() async throws {
      try await withRunningServer { port, query in
        let contents = Self.contents.prefix(7_654_321)
        let up = try await Self.send(
          port, "PUT", try await Self.uploadURL(port, query),
          "Content-Length: \(contents.count)\r\n", Array(contents))
        let path = try #require(URL(string: try await Self.saved(port, query, up))?.path)
        let head = "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let wire = Wire(port: port)
        try await wire.begin(Array(head.utf8)) {
          #expect(
            Self.openFiles() == 1, "the server must be reading the file when the client disconnects"
          )
        }
        // The server notices the disconnect while it answers other requests.
        for _ in 0..<2_000 where Self.openFiles() > 0 { try await Self.expectAlive(port, query) }
        #expect(Self.openFiles() == 0)
      }
    }

    /// Returns the number of open files whose size is 7,654,321 bytes.
    ///
    /// NB: the size identifies the test's file, because other tests in this process also have open
    /// files.
    private static func openFiles() -> Int {
      let folder = "/proc/self/fd"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.filter { name in
        var status = stat()
        return stat("\(folder)/\(name)", &status) == 0 && status.st_size == 7_654_321
          && status.st_mode & S_IFMT == S_IFREG
      }.count
    }
  #endif
}
