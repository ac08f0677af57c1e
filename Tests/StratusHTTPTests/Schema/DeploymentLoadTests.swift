import StratusTesting
import Testing

/// Deployments while apps use production.
@Suite struct DeploymentsUnderLoad {
  private static func schema(fields: Int, isSortable: Bool) -> String {
    let extra = (0..<fields).map { "extra\($0) STRING QUERYABLE" }
    let entries =
      extra + [
        "count INT64 QUERYABLE \(isSortable ? "SORTABLE" : "")", "title STRING",
        "\"___recordID\" REFERENCE QUERYABLE", "GRANT READ TO \"_world\"",
        "GRANT CREATE TO \"_icloud\"", "GRANT WRITE TO \"_creator\"",
      ]
    return "DEFINE SCHEMA RECORD TYPE Note (\(entries.joined(separator: ", ")));"
  }

  @Test func `no request fails while schemas are deployed`() async throws {
    try await withServer { server in
      try await SchemaManagement.makeContainer(server)
      _ = try await SchemaManagement.change(
        server, "production", to: Self.schema(fields: 0, isSortable: true))
      var clients: [Client] = []
      for name in ["anna", "bea", "carl"] {
        var client = try await server.client("\(name)@example.org")
        client.environment = "production"
        clients.append(client)
      }
      let failures = try await withThrowingTaskGroup(of: [String].self) { group in
        for client in clients {
          group.addTask {
            var failures: [String] = []
            for number in 0..<60 {
              let saved = try await client.save(
                "n-\(number)",
                fields: ["count": ["value": .int(Int64(number))], "title": ["value": "t"]])
              if let reason = saved["reason"].string { failures.append(reason) }
              let query = try await client.answer(
                "records/query",
                [
                  "query": [
                    "recordType": "Note",
                    "filterBy": [.filter("EQUALS", "count", .int(Int64(number)))],
                  ]
                ])
              if query.status != 200 { failures.append("\(query.json)") }
              let found = query.json["records"].array?.map { $0["recordName"] }
              if found != ["n-\(number)"] { failures.append("found \(query.json)") }
            }
            return failures
          }
        }
        group.addTask {
          var failures: [String] = []
          for round in 1...20 {
            let report = try await SchemaManagement.change(
              server, "production",
              to: Self.schema(fields: round, isSortable: round.isMultiple(of: 2)))
            if report["isApplied"] != true { failures.append("\(report)") }
          }
          return failures
        }
        var all: [String] = []
        for try await failures in group { all += failures }
        return all
      }
      #expect(failures == [])
    }
  }
}
