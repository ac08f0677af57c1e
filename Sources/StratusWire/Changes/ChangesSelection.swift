/// The options of a request that reads a zone's history.
public struct ChangesSelection: Sendable {
  /// The maximum number of changes in one answer. nil means the server's default.
  public var resultsLimit: Int?
  public var fields: FieldSelection
  /// The record types whose changes are requested. nil means all record types.
  public var desiredRecordTypes: Set<String>?
  /// Whether the newest change comes first.
  public var isReversed: Bool
  /// Whether the dictionaries of deleted records include the record type. Stratus adds this option,
  /// because the callbacks of the CloudKit framework pass the record type.
  public var showsDeletedRecordTypes: Bool
  /// Whether the answer says how many changes remain. Stratus adds this option for the status of a
  /// sync engine.
  public var countsRemaining = false

  public init(
    resultsLimit: Int? = nil, fields: FieldSelection = .all,
    desiredRecordTypes: Set<String>? = nil, isReversed: Bool = false,
    showsDeletedRecordTypes: Bool = false
  ) {
    self.resultsLimit = resultsLimit
    self.fields = fields
    self.desiredRecordTypes = desiredRecordTypes
    self.isReversed = isReversed
    self.showsDeletedRecordTypes = showsDeletedRecordTypes
  }

  func writeMembers(to writer: inout JSONWriter) {
    writer.member("resultsLimit", resultsLimit.map(Int64.init))
    fields.writeMembers(to: &writer)
    writer.member("desiredRecordTypes", strings: desiredRecordTypes?.sorted())
    if isReversed { writer.member("reverse", true) }
    if showsDeletedRecordTypes { writer.member("deletedRecordTypes", true) }
    if countsRemaining { writer.member("remainingCount", true) }
  }

  /// Reads the options from a dictionary. If a key is missing, its option is taken from `outer`.
  init(json: JSONView, outer: ChangesSelection = ChangesSelection()) throws(WireError) {
    resultsLimit = try json.resultsLimit() ?? outer.resultsLimit
    fields = try FieldSelection(json: json, outer: outer.fields)
    desiredRecordTypes =
      try json.strings("desiredRecordTypes").map(Set.init) ?? outer.desiredRecordTypes
    isReversed = try json.optionalBool("reverse") ?? outer.isReversed
    showsDeletedRecordTypes =
      try json.optionalBool("deletedRecordTypes") ?? outer.showsDeletedRecordTypes
    countsRemaining = try json.optionalBool("remainingCount") ?? outer.countsRemaining
  }
}

extension JSONView {
  /// Reads the key `resultsLimit`, which is a number or a numeric string. Returns nil if the key is
  /// missing or its value is 0. nil means the server's default.
  func resultsLimit() throws(WireError) -> Int? {
    guard let value = self["resultsLimit"] else { return nil }
    guard let limit = value.int, limit >= 0 else {
      throw .wrongType("resultsLimit", expected: "a positive whole number")
    }
    return limit == 0 ? nil : limit
  }
}
