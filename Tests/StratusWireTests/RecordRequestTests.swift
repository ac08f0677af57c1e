import Testing

@testable import StratusWire

@Suite struct ModifyRequests {
  private func request(_ operation: String, _ rest: String = "") throws -> ModifyRecords.Request {
    try read(ModifyRecords.Request.self, #"{"operations":[\#(operation)]\#(rest)}"#)
  }

  private func operation(_ record: String, _ rest: String = "") throws -> RecordOperation {
    let text = #"{"operationType":"update","record":\#(record)\#(rest)}"#
    return try #require(try request(text).operations.first)
  }

  @Test func `a create request in Apple's format is decoded`() throws {
    let request = try read(ModifyRecords.Request.self, createRequest)
    #expect(ModifyRecords.path == "records/modify")
    #expect(request.zoneID == ZoneID(zoneName: "Work"))
    #expect(request.isAtomic == true)
    #expect(request.selection == .all)
    let operation = try #require(request.operations.first)
    #expect(operation.kind == .create)
    #expect((operation.recordName, operation.recordType) == ("n-1", "Note"))
    #expect(operation.recordChangeTag == nil)
    let fields = try FieldInput.all(in: operation.fields)
    #expect(fields.map(\.name) == ["title", "tags", "due", "place"])
    #expect(try fields[0].decode(schemaType: nil) == .string("Milk ü 😀"))
    #expect(try fields[2].decode(schemaType: nil) == .timestamp(1_767_225_600_000))
  }

  @Test(arguments: [
    "create", "update", "forceUpdate", "replace", "forceReplace", "delete", "forceDelete",
  ]) func `every documented operation type is known`(_ name: String) throws {
    let text = #"{"operationType":"\#(name)","record":{"recordName":"n"}}"#
    #expect(try request(text).operations.first?.kind.rawValue == name)
  }

  @Test func `a record with all keys of an answer is decoded`() throws {
    let operation = try operation(
      #"{"recordName":"n","recordType":"Note","fields":{},"pluginFields":{},"#
        + #""recordChangeTag":"1s","created":{"timestamp":1,"userRecordName":"_a","deviceID":"2"},"#
        + #""modified":{"timestamp":1.5},"deleted":false,"shortGUID":"0NE","stableUrl":{"a":[]},"#
        + #""forRecord":{"recordName":"r","fields":{"a":{"value":1}}},"createShortGUID":true,"#
        + #""zoneID":{"zoneName":"Work","ownerRecordName":"_a","zoneType":"REGULAR_CUSTOM_ZONE"}}"#)
    #expect(operation.recordChangeTag == "1s")
    #expect(operation.zoneID == ZoneID(zoneName: "Work", ownerRecordName: "_a"))
    #expect(operation.parent == .unchanged)
  }

  @Test func `a null has the same meaning as an absent key`() throws {
    let operation = try operation(
      #"{"recordName":null,"recordType":null,"recordChangeTag":null,"zoneID":null,"fields":null,"#
        + #""parent":null,"desiredKeys":null}"#, #","desiredKeys":null,"numbersAsStrings":null"#)
    #expect(operation.recordName == nil)
    #expect(operation.recordType == nil)
    #expect(operation.fields == nil)
    #expect(operation.selection == .all)
    let request = try request("", #","zoneID":null,"atomic":null,"desiredKeys":null"#)
    #expect(request.zoneID == nil)
    #expect(request.isAtomic == nil)
  }

  @Test(arguments: [
    ("true", true), ("false", false), ("\"false\"", false), ("\"true\"", true),
  ]) func `the option atomic decodes from a Boolean or a string`(_ text: String, _ value: Bool)
    throws
  {
    #expect(try request("", #","atomic":\#(text)"#).isAtomic == value)
  }

  @Test func `desired keys are accepted at top level, in the operation and in the record`() throws {
    func keys(_ top: String, _ middle: String, _ inner: String) throws -> Set<String>? {
      let operation = #"{"operationType":"update","record":{"recordName":"n"\#(inner)}\#(middle)}"#
      return try request(operation, top).operations.first?.selection.desiredKeys
    }
    let (a, b, c) = (#","desiredKeys":["a","a"]"#, #","desiredKeys":["b"]"#, #","desiredKeys":[]"#)
    #expect(try keys("", "", "") == nil)
    #expect(try keys(a, "", "") == ["a"])
    #expect(try keys("", b, "") == ["b"])
    #expect(try keys("", "", a) == ["a"])
    #expect(try keys(a, b, "") == ["b"])
    #expect(try keys(a, b, c) == [])
  }

  @Test(arguments: ["numbersAsStrings", "numberAsStrings"])
  func `the option numbersAsStrings has two spellings`(_ key: String) throws {
    let request = try request(
      #"{"operationType":"update","record":{"recordName":"n"}}"#, #","\#(key)":true"#)
    #expect(request.selection.numbersAsStrings)
    #expect(request.operations.first?.selection.numbersAsStrings == true)
  }

  @Test func `an operation keeps, sets or removes the parent`() throws {
    #expect(try operation("{}").parent == .unchanged)
    #expect(try operation(#"{"parent":{"recordName":"p"}}"#).parent == .set(recordName: "p"))
    #expect(try operation(#"{"parent":{}}"#).parent == .removed)
    #expect(refusal { try operation(#"{"parent":"p"}"#) } == "parent must be an object")
  }

  @Test(arguments: [
    (#"{}"#, "missing required field 'operations'"), ("[]", "missing required field 'operations'"),
    (#"{"operations":{}}"#, "Invalid value for 'operations', expected an array"),
    (#"{"operations":[1]}"#, "missing required field 'operationType'"),
    (
      #"{"operations":[{"operationType":5}]}"#,
      "Invalid value for 'operationType', expected a string"
    ),
    (
      #"{"operations":[{"operationType":"CREATE","record":{}}]}"#,
      "Unknown operationType 'CREATE'"
    ),
    (#"{"operations":[{"operationType":"create"}]}"#, "missing required field 'record'"),
    (#"{"operations":[{"operationType":"create","record":[]}]}"#, "record must be an object"),
    (
      #"{"operations":[{"operationType":"create","record":{"recordName":1}}]}"#,
      "Invalid value for 'recordName', expected a string"
    ),
    (
      #"{"operations":[{"operationType":"create","record":{"recordChangeTag":{}}}]}"#,
      "Invalid value for 'recordChangeTag', expected a string"
    ),
    (
      #"{"operations":[],"desiredKeys":"a"}"#,
      "Invalid value for 'desiredKeys', expected an array of strings"
    ),
    (
      #"{"operations":[],"desiredKeys":[1]}"#,
      "Invalid value for 'desiredKeys', expected an array of strings"
    ),
    (#"{"operations":[],"zoneID":"Work"}"#, "zoneID must be an object"),
  ]) func `the error for a malformed request names the key`(_ text: String, _ reason: String) {
    #expect(refusal { try read(ModifyRecords.Request.self, text) } == reason)
  }

  @Test func `the server decodes the modify request that the client encodes`() throws {
    var save = RecordOperation(
      .update, recordName: "n", recordType: "Note", recordChangeTag: "1",
      fields: try parsed(#"{"a":{"value":1,"type":"INT64"},"b":{}}"#), parent: .set(recordName: "p")
    )
    save.zoneID = ZoneID(zoneName: "Own")
    let request = ModifyRecords.Request(
      zoneID: ZoneID(zoneName: "Work"), operations: [save], isAtomic: false,
      selection: FieldSelection(desiredKeys: ["b", "a"], numbersAsStrings: true),
      clientChangeToken: "dG9rZW4=")
    let text =
      #"{"zoneID":{"zoneName":"Work"},"operations":[{"operationType":"update","record":{"#
      + #""recordName":"n","recordType":"Note","recordChangeTag":"1","zoneID":{"zoneName":"Own"},"#
      + #""fields":{"a":{"value":1,"type":"INT64"},"b":{}},"parent":{"recordName":"p"}}}],"#
      + #""atomic":false,"desiredKeys":["a","b"],"numbersAsStrings":true,"#
      + #""clientChangeToken":"dG9rZW4="}"#
    #expect(written(request) == text)
    let back = try read(ModifyRecords.Request.self, text)
    #expect(back.selection == request.selection)
    #expect(back.clientChangeToken == "dG9rZW4=")
    #expect(back.operations.first?.parent == .set(recordName: "p"))
    #expect(back.operations.first?.zoneID == ZoneID(zoneName: "Own"))
  }
}

@Suite struct LookupRequests {
  @Test func `the names, zones and desired keys of a lookup are decoded`() throws {
    let request = try read(
      LookupRecords.Request.self,
      #"{"zoneID":{"zoneName":"Work"},"records":[{"recordName":"a","desiredKeys":["x","x"]},"#
        + #"{"recordName":"b","zoneID":{"zoneName":"Own"},"junk":1}],"desiredKeys":["y"],"#
        + #""assetPrivacyMaskType":"z"}"#)
    #expect(LookupRecords.path == "records/lookup")
    #expect(request.items.map(\.recordName) == ["a", "b"])
    #expect(request.items.map(\.zoneID) == [nil, ZoneID(zoneName: "Own")])
    #expect(request.items.map(\.selection.desiredKeys) == [["x"], ["y"]])
  }

  @Test func `the server decodes the lookup request that the client encodes`() throws {
    var request = LookupRecords.Request(
      zoneID: nil, recordNames: ["a", "b"], selection: FieldSelection(desiredKeys: ["y"]))
    request.items[1].selection = FieldSelection(desiredKeys: [], numbersAsStrings: true)
    let text =
      #"{"records":[{"recordName":"a"},{"recordName":"b","desiredKeys":[],"#
      + #""numbersAsStrings":true}],"desiredKeys":["y"]}"#
    #expect(written(request) == text)
    #expect(
      try read(LookupRecords.Request.self, text).items.map(\.selection)
        == request.items.map(\.selection))
  }

  @Test(arguments: [
    ("{}", "missing required field 'records'"),
    (#"{"records":"a"}"#, "Invalid value for 'records', expected an array"),
    (#"{"records":["a"]}"#, "missing required field 'recordName'"),
    (#"{"records":[{"recordName":7}]}"#, "Invalid value for 'recordName', expected a string"),
  ]) func `the error for a malformed request names the key`(_ text: String, _ reason: String) {
    #expect(refusal { try read(LookupRecords.Request.self, text) } == reason)
  }
}
