import Testing

/// The error codes in Apple's documentation. Clients know no other codes.
let documentedCodes: Set<String> = [
  "ACCESS_DENIED", "ATOMIC_ERROR", "AUTHENTICATION_FAILED", "AUTHENTICATION_REQUIRED",
  "BAD_REQUEST", "CONFLICT", "EXISTS", "INTERNAL_ERROR", "NOT_FOUND", "QUOTA_EXCEEDED",
  "THROTTLED", "TRY_AGAIN_LATER", "VALIDATING_REFERENCE_ERROR", "ZONE_NOT_FOUND",
]

/// The HTTP status of each code when the whole request fails.
let statusOfCode: [String: Int] = [
  "ACCESS_DENIED": 403, "ATOMIC_ERROR": 400, "AUTHENTICATION_FAILED": 401,
  "AUTHENTICATION_REQUIRED": 421, "BAD_REQUEST": 400, "CONFLICT": 409, "EXISTS": 409,
  "INTERNAL_ERROR": 500, "NOT_FOUND": 404, "QUOTA_EXCEEDED": 413, "THROTTLED": 429,
  "TRY_AGAIN_LATER": 503, "VALIDATING_REFERENCE_ERROR": 412, "ZONE_NOT_FOUND": 404,
]

extension Client.Answer {
  /// The errors in the answer: the error of the whole request, or the errors of its items.
  var errors: [JSON] {
    if status != 200 { return [json] }
    let items = (json["records"].array ?? []) + (json["zones"].array ?? [])
    return items.filter { !$0["serverErrorCode"].isNull }
  }

  var code: String? { errors.first?["serverErrorCode"].string }
  var reason: String? { errors.first?["reason"].string }

  /// Expects an error that a client can read, and no internal server error.
  func expectRefusal(
    _ what: String, code: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(!errors.isEmpty, "\(what) passed: \(json)", sourceLocation: sourceLocation)
    for error in errors {
      let found = error["serverErrorCode"].string ?? ""
      let comment: Comment = "\(what): \(error)"
      #expect(documentedCodes.contains(found), comment, sourceLocation: sourceLocation)
      #expect(found != "INTERNAL_ERROR", comment, sourceLocation: sourceLocation)
      #expect(error["uuid"].string?.isEmpty == false, comment, sourceLocation: sourceLocation)
      #expect(error["reason"].string?.isEmpty == false, comment, sourceLocation: sourceLocation)
      if let code { #expect(found == code, comment, sourceLocation: sourceLocation) }
      if status != 200, status != 413, status != 405 {
        #expect(status == statusOfCode[found], comment, sourceLocation: sourceLocation)
      }
    }
  }
}

/// The whole content of a user's private database. The content includes change tokens, so even a
/// change without an effect makes a difference.
struct Contents: Hashable {
  let zones: JSON
  let histories: [JSON]

  init(of client: Client) async throws {
    zones = try await client.post("changes/database")
    var histories: [JSON] = []
    for zone in zones["zones"].array ?? [] {
      var token = JSON.null
      repeat {
        let item: JSON = [
          "zoneID": zone["zoneID"], "syncToken": token, "deletedRecordTypes": true,
        ]
        let page = try await client.post("changes/zone", ["zones": [item]])["zones"][0]
        histories.append(page)
        token = page["syncToken"]
      } while histories.last?["moreComing"] == true
    }
    self.histories = histories
  }
}
