/// A field in the JSON of cktool: `{"type": "stringType", "value": "Milk"}`.
///
/// The types and values differ from those of CloudKit Web Services: times are texts, and a file is
/// represented by a key. The command's option `--asset-files` names the file for each key.
public enum ToolField: Sendable, Hashable {
  case value(FieldValue)
  /// The keys of files. Only a list has more than one key.
  case files(keys: [String], isList: Bool)

  /// Returns the name of a type, for example `stringType` or `stringListType`.
  public static func typeName(of type: FieldType) -> String {
    let word =
      switch type.element {
      case .string: "string"
      case .int64: "int64"
      case .double: "double"
      case .timestamp: "timestamp"
      case .bytes: "bytes"
      case .location: "location"
      case .reference: "reference"
      case .asset: "asset"
      }
    return word + (type.isList ? "ListType" : "Type")
  }

  /// Returns the type with this name, or nil if there is none.
  public static func type(named name: String) -> FieldType? {
    for element in FieldType.Element.allCases {
      for isList in [false, true] {
        let type = FieldType(element, isList: isList)
        if typeName(of: type) == name { return type }
      }
    }
    return nil
  }

  /// Reads the fields of a record.
  ///
  /// - Parameter time: parses the text of a time. Returns nil if the text is not a time.
  public static func fields(
    json: JSONView, time: (String) -> Timestamp?
  ) throws(WireError) -> [(name: String, field: ToolField)] {
    guard json.isObject else { throw WireError("the fields must be a JSON object") }
    var fields: [(name: String, field: ToolField)] = []
    for member in json.members {
      fields.append((member.key, try read(member.value, name: member.key, time: time)))
    }
    return fields
  }

  private static func read(
    _ json: JSONView, name: String, time: (String) -> Timestamp?
  ) throws(WireError) -> ToolField {
    guard json.isObject, let typeName = json["type"]?.string, let value = json["value"] else {
      throw WireError("the field '\(name)' must be {\"type\": \"stringType\", \"value\": …}")
    }
    guard let type = type(named: typeName) else {
      throw WireError(
        "the type '\(typeName)' of the field '\(name)' is unknown; write stringType, int64Type, "
          + "doubleType, timestampType, bytesType, locationType, referenceType, assetType, or one "
          + "of them with ListType")
    }
    if type.element == .asset {
      let keys = type.isList ? value.elements.map(\.value.string) : [value.string]
      let texts = keys.compactMap { $0 }
      guard texts.count == keys.count else {
        throw WireError("the file of the field '\(name)' must be a key of --asset-files")
      }
      return .files(keys: texts, isList: type.isList)
    }
    if type.isList {
      guard value.isArray else {
        throw WireError("the value of the field '\(name)' must be an array")
      }
      var values: [FieldValue] = []
      for element in value.elements {
        values.append(
          try single(element.value, FieldType(type.element), name: name, time: time))
      }
      return .value(.list(type.element, values))
    }
    return .value(try single(value, type, name: name, time: time))
  }

  private static func single(
    _ json: JSONView, _ type: FieldType, name: String, time: (String) -> Timestamp?
  ) throws(WireError) -> FieldValue {
    if type.element == .timestamp, let text = json.string {
      guard let time = time(text) else {
        throw WireError(
          "the time '\(text)' of the field '\(name)' is unknown; write 2026-01-31, "
            + "2026-01-31 12:00 or 2026-01-31T12:00:00Z")
      }
      return .timestamp(time)
    }
    do throws(WireError) { return try FieldValue(json: json, type: type) } catch {
      throw WireError("the field '\(name)': \(error.reason)")
    }
  }
}

/// A record in the JSON of cktool.
public struct ToolRecord: JSONWritable {
  public var record: RecordDictionary

  public init(_ record: RecordDictionary) { self.record = record }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("recordName", record.recordName)
      writer.member("recordType", record.recordType)
      writer.member("recordChangeTag", record.recordChangeTag)
      writer.member("zoneName", record.zoneID.zoneName)
      writer.member("created", ToolStamp(stamp: record.created))
      writer.member("modified", ToolStamp(stamp: record.modified))
      writer.key("fields")
      writer.object { writer in
        for (name, value) in (try? record.fields.values()) ?? [] {
          writer.key(name)
          writer.object { writer in
            writer.member("type", ToolField.typeName(of: value.type))
            if value.type.isEncrypted { writer.member("isEncrypted", true) }
            writer.key("value")
            value.writeToolValue(to: &writer)
          }
        }
      }
    }
  }
}

/// A page of a query in the JSON of cktool.
public struct ToolPage: JSONWritable {
  public var records: [ToolRecord]
  /// The position at which the next page begins. nil means that this is the last page.
  public var continuationToken: String?

  public init(records: [ToolRecord], continuationToken: String?) {
    self.records = records
    self.continuationToken = continuationToken
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("continuationToken", continuationToken)
      writer.member("records", array: records)
    }
  }
}

/// The result of a deletion of records, in the JSON of cktool.
public struct ToolDeletion: JSONWritable {
  public var count: Int
  public var isDryRun: Bool
  /// The reasons why records were not deleted, one for each record.
  public var errors: [String]

  public init(count: Int, isDryRun: Bool, errors: [String] = []) {
    self.count = count
    self.isDryRun = isDryRun
    self.errors = errors
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if isDryRun {
        writer.member("count", Int64(count))
        writer.member("dryRun", true)
      } else {
        writer.member("deletedCount", Int64(count))
        writer.member("errors", strings: errors)
      }
    }
  }
}

private struct ToolStamp: JSONWritable {
  var stamp: Stamp

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("timestamp", ToolTime.text(milliseconds: stamp.timestamp))
      writer.member("userRecordName", stamp.userRecordName)
    }
  }
}

extension FieldValue {
  fileprivate func writeToolValue(to writer: inout JSONWriter) {
    switch self {
    case .string(let text): writer.string(text)
    case .int64(let number): writer.int(number)
    case .double(let number): writer.double(number)
    case .timestamp(let time): writer.string(ToolTime.text(milliseconds: time.milliseconds))
    case .location(let location): location.write(to: &writer)
    case .asset(let asset): asset.write(to: &writer)
    case .reference(let reference):
      writer.object { writer in
        writer.member("recordName", reference.recordName)
        writer.member("action", reference.action.rawValue)
      }
    case .list(_, let values):
      writer.array { writer in
        for value in values { value.writeToolValue(to: &writer) }
      }
    case .bytes, .sealed: writeValue(to: &writer, numbersAsStrings: false)
    }
  }
}

/// The times in the JSON of cktool.
public enum ToolTime {
  /// Returns a time as ISO 8601 in UTC, for example `2026-11-23T08:00:00.000Z`.
  ///
  /// - Parameter milliseconds: the milliseconds since 1970 UTC.
  public static func text(milliseconds: Int64) -> String {
    let (seconds, rest) = divide(milliseconds, 1_000)
    let (days, ofDay) = divide(seconds, 86_400)
    let clock = [ofDay / 3_600, ofDay / 60 % 60, ofDay % 60].map { padded($0, 2) }
    return "\(date(days))T\(clock.joined(separator: ":")).\(padded(rest, 3))Z"
  }

  /// Returns the date of a day, for example `2026-11-23`.
  ///
  /// - Parameter day: the number of days since 1970 UTC.
  public static func date(_ day: Int64) -> String {
    // Years begin on 1 March in this calculation, so that a leap day is the last day of its year.
    let (era, ofEra) = divide(day + 719_468, 146_097)
    let year = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * year + year / 4 - year / 100)
    let month = (5 * ofYear + 2) / 153
    let dayOfMonth = ofYear - (153 * month + 2) / 5 + 1
    let civilMonth = month < 10 ? month + 3 : month - 9
    let civilYear = year + era * 400 + (civilMonth <= 2 ? 1 : 0)
    return "\(padded(civilYear, 4))-\(padded(civilMonth, 2))-\(padded(dayOfMonth, 2))"
  }

  private static func divide(_ value: Int64, _ by: Int64) -> (Int64, Int64) {
    let rest = ((value % by) + by) % by
    return ((value - rest) / by, rest)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
