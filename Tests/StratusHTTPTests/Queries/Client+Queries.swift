import Testing

extension Client {
  /// The names of all records that a query finds, page by page and in order.
  func names(
    _ query: JSON, pageSize: Int64? = nil, _ more: JSON = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    try await pages(query, pageSize: pageSize, more, sourceLocation: sourceLocation).flatMap { $0 }
  }

  /// The record names in each page of a query.
  func pages(
    _ query: JSON, pageSize: Int64? = nil, _ more: JSON = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [[String]] {
    var body = more.with("query", query)
    if let pageSize { body = body.with("resultsLimit", .int(pageSize)) }
    var pages: [[String]] = []
    var markers: Set<String> = []
    while true {
      let answer = try await post("records/query", body)
      let page = answer["records"].array ?? []
      pages.append(page.compactMap { $0["recordName"].string })
      guard let marker = answer["continuationMarker"].string else { return pages }
      try #require(markers.insert(marker).inserted, sourceLocation: sourceLocation)
      body = body.with("continuationMarker", .string(marker))
    }
  }

  /// The names of the records that one filter finds, sorted by name.
  func found(
    _ comparator: String, _ field: String, _ value: JSON, _ more: JSON = [:],
    type: String = "Note"
  ) async throws -> [String] {
    let filter = JSON.filter(comparator, field, value)
    return try await names(
      ["recordType": "\(type)", "filterBy": [filter]], pageSize: nil, more
    ).sorted()
  }
}

extension JSON {
  static func filter(_ comparator: String, _ field: String, _ value: JSON) -> JSON {
    ["comparator": "\(comparator)", "fieldName": "\(field)", "fieldValue": ["value": value]]
  }

  static func sort(_ field: String, ascending: Bool = true) -> JSON {
    ["fieldName": "\(field)", "ascending": .bool(ascending)]
  }
}
