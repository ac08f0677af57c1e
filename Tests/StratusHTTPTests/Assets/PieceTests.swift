import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusTesting
import Testing

/// Uploads in several requests (a Stratus extension), and uploads over broken connections.
@Suite struct Pieces {
  private static func range(_ text: String) -> [String: String] { ["Content-Range": text] }

  @Test func `a file can be uploaded in several ranges`() async throws {
    try await withAnna { anna in
      let url = try await anna.uploadURL()
      let first = try await anna.transfer(.put, url, headers: Self.range("bytes 0-1/3"), [97, 98])
      #expect(first.status == 200)
      #expect(try first.json == ["received": 2])
      #expect(try await anna.transfer(.get, url).json == ["received": 2])
      let last = try await anna.transfer(.put, url, headers: Self.range("bytes 2-2/3"), [99])
      #expect(try last.json["singleFile"]["fileChecksum"] == "\(checksumOfABC)")
      try await anna.saveNote(photo: try last.json["singleFile"])
      #expect(try await anna.transfer(.get, try await anna.downloadURL()).bytes == abc)
    }
  }

  @Test(arguments: ["bytes 0-1/3", "bytes 1-1/3", "bytes 3-3/4", "bytes 9-9/10"])
  func `the refusal of an upload range at a wrong offset contains the right offset`(text: String)
    async throws
  {
    try await withAnna { anna in
      let url = try await anna.uploadURL()
      _ = try await anna.transfer(.put, url, headers: Self.range("bytes 0-1/3"), [97, 98])
      let answer = try await anna.transfer(.put, url, headers: Self.range(text), [1, 2])
      #expect(answer.status == 409)
      let json = try answer.json
      #expect(json["serverErrorCode"] == "CONFLICT")
      #expect(json["received"] == 2)
      #expect(json["reason"].string?.isEmpty == false && json["uuid"].string?.isEmpty == false)
      #expect(json["singleFile"].isNull)
      let last = try await anna.transfer(.put, url, headers: Self.range("bytes 2-2/3"), [99])
      #expect(try last.json["singleFile"]["fileChecksum"] == "\(checksumOfABC)")
    }
  }

  @Test(arguments: [
    "bytes 0-1", "bytes */3", "bytes 0-1/*", "0-1/3", "items 0-1/3", "bytes 2-1/3", "bytes 0-3/3",
    "bytes -1-1/3", "bytes 0-1/3, 2-2/3", "bytes 0-1/99999999999999999999", "", "bytes a-b/c",
    "bytes 0-0x1/3", "bytes +0-1/3",
  ])
  func `a malformed Content-Range header is refused`(text: String) async throws {
    try await withAnna { anna in
      let url = try await anna.uploadURL()
      let answer = try await anna.transfer(.put, url, headers: Self.range(text), [97, 98])
      #expect(answer.status == 400, "\(answer.text)")
      #expect(try answer.json["serverErrorCode"] == "BAD_REQUEST")
      #expect(try await anna.transfer(.get, url).json == ["received": 0])
    }
  }

  @Test(arguments: [[97], [97, 98, 99]] as [[UInt8]])
  func `an upload with fewer or more bytes than its Content-Range states is refused`(bytes: [UInt8])
    async throws
  {
    try await withAnna { anna in
      let url = try await anna.uploadURL()
      let answer = try await anna.transfer(.put, url, headers: Self.range("bytes 0-1/2"), bytes)
      #expect(answer.status == 400, "\(answer.text)")
      #expect(try answer.json["singleFile"].isNull)
      let state = try await anna.transfer(.get, url).json
      #expect(state["singleFile"].isNull && state["received"] != 2, "\(state)")
    }
  }

  @Test
  func `bytes that arrived before the connection broke need not be sent again`() async throws {
    try await withAnna { anna in
      let url = try await anna.uploadURL()
      let broken = PiecedBody(parts: [[97], [98]], breaks: true)
      let answer = try await anna.transfer(.post, url, body: broken)
      #expect(answer.status == 400)
      #expect(try await anna.transfer(.get, url).json == ["received": 2])
      let last = try await anna.transfer(.put, url, headers: Self.range("bytes 2-2/3"), [99])
      #expect(try last.json["singleFile"]["fileChecksum"] == "\(checksumOfABC)")
    }
  }

  @Test func `an upload that is sent again as a whole starts from the beginning`() async throws {
    try await withAnna { anna in
      let url = try await anna.uploadURL()
      _ = try await anna.transfer(
        .post, url, body: PiecedBody(parts: [[1], [2], [3], [4]], breaks: true))
      let file = try await anna.upload(abc, to: url)
      #expect(file["fileChecksum"] == "\(checksumOfABC)")
    }
  }

  @Test func `a request body of many small chunks becomes one file`() async throws {
    try await withAnna { anna in
      let parts = (0..<2_000).map { [UInt8](repeating: UInt8($0 % 251), count: 700) }
      let url = try await anna.uploadURL()
      let answer = try await anna.transfer(.post, url, body: PiecedBody(parts: parts))
      #expect(try answer.json["singleFile"]["size"] == 1_400_000)
      try await anna.saveNote(photo: try answer.json["singleFile"])
      let fetched = try await anna.transfer(.get, try await anna.downloadURL())
      #expect(fetched.bytes == parts.flatMap { $0 })
    }
  }

  /// A crash between the last byte and the completion must not leave an unfinished upload.
  @Test func `a status request completes an upload whose bytes have all arrived`() async throws {
    try await withAnna { anna in
      let url = try await anna.uploadURL()
      _ = try await anna.transfer(.put, url, headers: Self.range("bytes 0-1/3"), [97, 98])
      let broken = PiecedBody(parts: [[99]], breaks: true)
      let last = try await anna.transfer(
        .put, url, headers: Self.range("bytes 2-2/3"), body: broken)
      #expect(last.status == 400)
      let asked = try await anna.transfer(.get, url).json
      #expect(asked["singleFile"]["fileChecksum"] == "\(checksumOfABC)", "\(asked)")
    }
  }

  @Test func `a file above the size limit is refused before its bytes are read`() async throws {
    try await withAnna { anna in
      let url = try await anna.uploadURL()
      let answer = try await anna.transfer(
        .put, url, headers: Self.range("bytes 0-2/17179869185"), abc)
      #expect(answer.status == 413)
      #expect(try answer.json["serverErrorCode"] == "QUOTA_EXCEEDED")
    }
  }
}
