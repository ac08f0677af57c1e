import StratusWire

/// The parts of a page of changes that a follower needs. The rest is not decoded,
/// because the load generator runs on the same machine as the server.
struct Page {
  let syncToken: String
  let moreComing: Bool

  /// - Throws: an error if the body does not end as answers of `changes/zone` do.
  init(_ body: ArraySlice<UInt8>) throws(Failure) {
    let tail = String(decoding: body.suffix(400), as: UTF8.self)
    guard let key = tail.range(ofLast: "\"syncToken\":\""),
      let end = tail[key.upperBound...].firstIndex(of: "\"")
    else { throw Failure("a page has no token: \(tail)") }
    syncToken = String(tail[key.upperBound..<end])
    moreComing = tail[end...].contains("\"moreComing\":true")
  }

  /// Decodes a page, and returns the number of its records.
  static func records(_ body: ArraySlice<UInt8>) throws -> Int {
    let response = try FetchZoneChanges.Response(jsonBytes: Array(body))
    var count = 0
    for item in response.zones {
      switch item {
      case .changes(let page): count += page.records.count
      case .failure(_, let error): throw Failure("a page was refused: \(error.reason)")
      }
    }
    return count
  }
}

extension String {
  fileprivate func range(ofLast text: String) -> Range<String.Index>? {
    ranges(of: text).last
  }
}
