import Testing

extension Socket {
  @Test func `a long cascade continues after the request is answered`() async throws {
    try await withRunningServer { port, query in
      func post(_ endpoint: String, _ body: JSON) async throws -> JSON {
        let path = "/database/1/iCloud.org.example.Notes/development/private/\(endpoint)?\(query)"
        let bytes = try body.bytes
        let head =
          "POST \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
          + "Content-Length: \(bytes.count)\r\n\r\n"
        let answer = try await Wire(port: port).exchange(Array(head.utf8) + bytes)
        try #require(answer.hasPrefix("HTTP/1.1 200"), "\(answer.prefix(500))")
        let start = try #require(answer.firstRange(of: "\r\n\r\n")).upperBound
        return try JSON(parsing: Array(answer[start...].utf8))
      }
      let names = (0..<1_100).map { "c\($0)" }
      let operations = [JSON.save("t")] + names.map { JSON.save($0, to: "t") }
      for start in stride(from: 0, to: operations.count, by: 100) {
        let part = operations[start..<min(start + 100, operations.count)]
        _ = try await post("records/modify", ["operations": .array(Array(part))])
      }
      let answer = try await post("records/modify", ["operations": [.delete("t")]])
      #expect(answer["records"] == [["recordName": "t", "deleted": true]])
      // The cascade deletes this record last, because its name is the last in byte order.
      let last: JSON = ["records": [["recordName": "c999"]]]
      var rounds = 0
      while try await post("records/lookup", last)["records"][0]["serverErrorCode"].isNull {
        rounds += 1
        try #require(rounds < 5_000, "the cascade does not continue")
      }
      for start in stride(from: 0, to: names.count, by: 400) {
        let part = names[start..<min(start + 400, names.count)]
        let found = try await post(
          "records/lookup", ["records": .array(part.map { ["recordName": .string($0)] })])
        for item in found["records"].array ?? [] {
          #expect(item["serverErrorCode"] == "NOT_FOUND")
        }
      }
    }
  }
}
