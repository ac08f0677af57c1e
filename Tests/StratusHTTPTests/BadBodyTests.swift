import HTTPTypes
import StratusTesting
import StratusWire
import Testing

/// Invalid request bodies.
@Suite struct BadBodies {
  static let request: JSON = [
    "zoneID": ["zoneName": "Work"], "atomic": true,
    "operations": [
      [
        "operationType": "create",
        "record": [
          "recordName": "n-2", "recordType": "Note",
          "fields": ["title": ["value": "a\"ü", "type": "STRING"], "count": ["value": 12.5]],
        ],
      ]
    ],
  ]

  private func withWork(_ body: (Client) async throws -> Void) async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      try await anna.save("n-1", in: "Work", fields: ["title": ["value": "a"]])
      let before = try await Contents(of: anna)
      try await body(anna)
      #expect(try await Contents(of: anna) == before)
    }
  }

  @Test func `a truncated request changes nothing`() async throws {
    try await withWork { anna in
      let whole = try Self.request.bytes
      let target = anna.target("records/modify")
      for count in 0..<whole.count {
        let answer = try await anna.send(.post, target, body: Array(whole.prefix(count)))
        answer.expectRefusal("\(count) of \(whole.count) bytes", code: "BAD_REQUEST")
      }
    }
  }

  @Test func `a request with an altered byte causes no server error`() async throws {
    let seed: UInt64 = 4_711
    try await withAnna { anna in
      try await anna.makeZone("Work")
      var chance = Chance(seed: seed)
      let whole = try Self.request.bytes
      for round in 0..<300 {
        var bytes = whole
        bytes[Int(chance.next() % UInt64(whole.count))] = UInt8(truncatingIfNeeded: chance.next())
        let answer = try await anna.send(.post, anna.target("records/modify"), body: bytes)
        #expect(answer.status < 500, "seed \(seed), round \(round)")
        if !answer.errors.isEmpty { answer.expectRefusal("seed \(seed), round \(round)") }
      }
    }
  }

  @Test(arguments: [
    "[]", "null", "5", "\"x\"", "{", "}", "{}{}", "{\"operations\":[],}", "{'operations':[]}",
    "{\"operations\":[1e]}", "{\"operations\":[01]}", "{\"operations\":[\"\\x\"]}",
    "{\"operations\":[\"\\ud800\"]}", "{\"operations\":[NaN]}", "{\"operations\":[\"a\u{1}\"]}",
    "\u{FEFF}{\"operations\":[]}", "operations=%5B%5D",
  ])
  func `a request body that is not a JSON object is refused`(text: String) async throws {
    try await withWork { anna in
      let answer = try await anna.send(
        .post, anna.target("records/modify"), body: Array(text.utf8))
      answer.expectRefusal(text, code: "BAD_REQUEST")
    }
  }

  @Test func `a request body that is not UTF-8 is refused`() async throws {
    try await withWork { anna in
      for rubbish: [UInt8] in [
        [0xFF], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFE, 0xFF],
      ] {
        let body = Array(#"{"operations":[],"x":""#.utf8) + rubbish + Array(#""}"#.utf8)
        let answer = try await anna.send(.post, anna.target("records/modify"), body: body)
        answer.expectRefusal("\(rubbish)", code: "BAD_REQUEST")
      }
    }
  }

  @Test(arguments: [40, 1_000, 1_000_000])
  func `a request body with too many levels of nesting is refused`(depth: Int) async throws {
    try await withWork { anna in
      for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
        let nested =
          String(repeating: open, count: depth) + "1"
          + String(repeating: close, count: depth)
        let body = Array(#"{"operations":[],"deep":\#(nested)}"#.utf8)
        guard body.count <= Limits.requestSizeBytesMax else { continue }
        let answer = try await anna.send(.post, anna.target("records/modify"), body: body)
        answer.expectRefusal("\(depth) times \(open)", code: "BAD_REQUEST")
      }
    }
  }

  @Test func `a request body of ten megabytes is refused`() async throws {
    try await withWork { anna in
      let body = [UInt8](repeating: UInt8(ascii: " "), count: 10_000_000)
      let answer = try await anna.send(.post, anna.target("records/modify"), body: body)
      #expect(answer.status == 413)
      answer.expectRefusal("ten megabytes")
    }
  }

  @Test func `a value of the wrong type is refused for every key of a request`() async throws {
    let wrong: [JSON] = [5, "x", ["y"], ["z": 1], true]
    let rows: [(endpoint: String, key: String, right: [Int], base: JSON)] = [
      ("records/modify", "operations", [], [:]),
      ("records/modify", "zoneID", [], ["operations": []]),
      ("records/modify", "atomic", [4], ["operations": []]),
      ("records/modify", "desiredKeys", [2], ["operations": []]),
      ("records/modify", "numbersAsStrings", [4], ["operations": []]),
      ("records/modify", "clientChangeToken", [1], ["operations": []]),
      ("records/lookup", "records", [], [:]),
      ("records/lookup", "zoneID", [], ["records": []]),
      ("records/lookup", "desiredKeys", [2], ["records": []]),
      ("zones/lookup", "zones", [], [:]),
      ("zones/modify", "operations", [], [:]),
      ("changes/database", "syncToken", [], [:]),
      ("changes/database", "resultsLimit", [0], [:]),
      ("zones/changes", "metaSyncToken", [], [:]),
      ("changes/zone", "zones", [], [:]),
      ("changes/zone", "reverse", [4], ["zones": []]),
      ("changes/zone", "deletedRecordTypes", [4], ["zones": []]),
      ("changes/zone", "remainingCount", [4], ["zones": []]),
      ("changes/zone", "desiredRecordTypes", [2], ["zones": []]),
      ("changes/zone", "resultsLimit", [0], ["zones": []]),
      ("records/changes", "zoneID", [], [:]),
      ("records/changes", "syncToken", [], ["zoneID": ["zoneName": "Work"]]),
    ]
    try await withWork { anna in
      for row in rows {
        for (index, value) in wrong.enumerated() where !row.right.contains(index) {
          // NB: a Boolean decodes as a whole number.
          if row.key == "resultsLimit", value == true { continue }
          let answer = try await anna.answer(row.endpoint, row.base.with(row.key, value))
          answer.expectRefusal("\(row.endpoint) \(row.key): \(value)", code: "BAD_REQUEST")
        }
      }
    }
  }

  @Test func `a value of the wrong type is refused for every key of an operation`() async throws {
    let record: JSON = ["recordName": "n-2", "recordType": "Note"]
    let operation: JSON = ["operationType": "create", "record": record]
    try await withWork { anna in
      func refuse(_ operation: JSON, _ what: String) async throws {
        let body: JSON = ["zoneID": ["zoneName": "Work"], "operations": [operation]]
        try await anna.answer("records/modify", body).expectRefusal(what, code: "BAD_REQUEST")
      }
      for value: JSON in [5, [], [:], true, "eat", nil] {
        try await refuse(operation.with("operationType", value), "operationType \(value)")
      }
      for value: JSON in [5, [], "x", true, nil] {
        try await refuse(operation.with("record", value), "record \(value)")
      }
      for key in ["recordName", "recordType", "recordChangeTag"] {
        for value: JSON in [5, ["x"], ["x": 1], true] {
          try await refuse(operation.with("record", record.with(key, value)), "\(key) \(value)")
        }
      }
      for key in ["zoneID", "fields", "parent"] {
        for value: JSON in [5, ["x"], "x", true] {
          try await refuse(operation.with("record", record.with(key, value)), "\(key) \(value)")
        }
      }
    }
  }

  @Test(arguments: [JSON.int(-1), 1.5, "many", [1]])
  func `a page size must be a whole number that is not negative`(limit: JSON) async throws {
    try await withWork { anna in
      for endpoint in ["changes/database", "changes/zone"] {
        let answer = try await anna.answer(endpoint, ["zones": [], "resultsLimit": limit])
        answer.expectRefusal("\(endpoint) \(limit)", code: "BAD_REQUEST")
      }
    }
  }
}

/// A random number generator with a seed, so that a failure can be reproduced (SplitMix64).
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
