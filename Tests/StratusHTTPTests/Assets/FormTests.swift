import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusTesting
import Testing

/// Uploads of files as multipart forms (RFC 7578).
@Suite struct Forms {
  private static let boundary = "----boundary7"
  private static let type = ["Content-Type": "multipart/form-data; boundary=\(boundary)"]

  private static func form(_ contents: [UInt8], name: String = "files") -> [UInt8] {
    let head =
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"file.file\""
      + "\r\nContent-Type: application/octet-stream\r\n\r\n"
    return Array(head.utf8) + contents + Array("\r\n--\(boundary)--\r\n".utf8)
  }

  private func send(
    _ anna: Client, _ body: any SentBody, type: [String: String] = Self.type
  ) async throws -> Transferred {
    try await anna.transfer(.post, try await anna.uploadURL(), headers: type, body: body)
  }

  @Test(arguments: ["files", "file", "anything"])
  func `the only part of a multipart form becomes the file`(name: String) async throws {
    try await withAnna { anna in
      let answer = try await send(anna, WholeBody(Self.form(abc, name: name)))
      #expect(try answer.json["singleFile"]["fileChecksum"] == "\(checksumOfABC)")
    }
  }

  @Test(arguments: [1, 2, 3, 5, 16, 17, 40, 100])
  func `a multipart form may arrive in chunks that are split at any byte`(size: Int) async throws {
    let tricky: [[UInt8]] = [
      abc, [], Array("\r\n--\(Self.boundary.dropLast())".utf8), Array("\r\n\r\n--\r\n-".utf8),
      Array(repeating: 13, count: 50), Array("--\(Self.boundary)".utf8),
    ]
    try await withAnna { anna in
      for contents in tricky {
        let form = Self.form(contents)
        let parts = stride(from: 0, to: form.count, by: size).map {
          Array(form[$0..<min(form.count, $0 + size)])
        }
        let answer = try await send(anna, PiecedBody(parts: parts))
        let file = try answer.json["singleFile"]
        try #require(file["size"] == .int(Int64(contents.count)), "\(answer.text) \(contents)")
        try await anna.saveNote(photo: file)
        #expect(try await anna.transfer(.get, try await anna.downloadURL()).bytes == contents)
      }
    }
  }

  @Test
  func `the boundary of a form may be quoted, and the server skips a preamble`() async throws {
    try await withAnna { anna in
      let type = ["Content-Type": "Multipart/Form-Data; charset=utf-8; Boundary=\"----boundary7\""]
      let body = Array("a preamble\r\n".utf8) + Self.form(abc)
      let answer = try await send(anna, WholeBody(body), type: type)
      #expect(try answer.json["singleFile"]["size"] == 3)
    }
  }

  @Test func `a malformed form is refused, and no file is kept`() async throws {
    let form = Self.form(abc)
    let twice = Self.form(abc).dropLast(4) + [13, 10] + Self.form(abc).dropFirst(2)
    let bad: [(String, [UInt8])] = [
      ("nothing", []), ("no boundary in it", abc), ("no end", Array(form.dropLast(10))),
      ("no head", Array(form.prefix(30))), ("no part", Array("--\(Self.boundary)--\r\n".utf8)),
      ("two parts", Array(twice)),
      ("an endless head", Array(form.prefix(20)) + [UInt8](repeating: 97, count: 100_000)),
    ]
    try await withAnna { anna in
      for (what, body) in bad {
        let answer = try await send(anna, WholeBody(body))
        #expect(answer.status == 400, "\(what): \(answer.text)")
        #expect(try answer.json["serverErrorCode"] == "BAD_REQUEST")
        #expect(try answer.json["singleFile"].isNull)
      }
      for type in ["multipart/form-data", "multipart/form-data; boundary="] {
        let answer = try await send(anna, WholeBody(form), type: ["Content-Type": type])
        #expect(answer.status == 400, "\(type)")
      }
      let piece = Self.type.merging(["Content-Range": "bytes 0-2/3"]) { $1 }
      #expect(try await send(anna, WholeBody(form), type: piece).status == 400)
    }
  }
}
