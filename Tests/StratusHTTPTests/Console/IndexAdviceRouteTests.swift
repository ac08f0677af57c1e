import HTTPTypes
import StratusHTTP
import StratusTesting
import StratusWire
import Testing

@Suite struct `Advice about indexes of a server` {
  @Test func `the advice about indexes includes an anonymous query that no index served`()
    async throws
  {
    try await ConsoleScene.with { scene in
      let browser = try await scene.ownersBrowser()
      let database = "database/\(ConsoleScene.container)/development/public/"
      let saved = try await browser.call(
        database + "records/modify",
        [
          "operations": [
            [
              "operationType": "create",
              "record": [
                "recordName": "a", "recordType": "Note",
                "fields": ["title": ["value": "secret value", "type": "STRING"]],
              ],
            ]
          ]
        ])
      #expect(saved.status == 200, "\(saved.json)")
      let store: JSON = [
        "containerID": "\(ConsoleScene.container)", "environment": "development",
      ]
      let token = try await scene.server.manage("api-tokens/create", store)["token"]
      let query: JSON = [
        "query": [
          "recordType": "Note",
          "filterBy": [
            [
              "comparator": "EQUALS", "fieldName": "title",
              "fieldValue": ["value": "secret value", "type": "STRING"],
            ]
          ],
        ]
      ]
      let path = "/database/1/\(ConsoleScene.container)/development/public/records/query"
      let (found, _) = await scene.server.router.answer(
        HTTPRequest(
          method: .post, scheme: "http", authority: "stratus.test",
          path: path + "?ckAPIToken=\(token.string ?? "")"),
        body: WholeBody(try query.bytes), from: "192.0.2.9")
      #expect(found.status == .ok)
      let answer = try await browser.call("management/schema/indexes", store)
      #expect(answer.json["advice"][0]["kind"] == "noIndex", "\(answer.json)")
      #expect(answer.json["advice"][0]["filters"] == ["EQUALS title"])
      #expect(answer.json["advice"][0]["queries"] == 1)
      #expect(!answer.text.contains("secret value"))
    }
  }
}
