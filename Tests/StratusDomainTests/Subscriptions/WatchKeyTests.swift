import StratusWire
import Testing

@testable import StratusDomain

/// The key under which a query subscription is stored, and the keys that are looked up for a
/// change.
@Suite struct `Keys of query subscriptions` {
  private let schema: Schema = {
    var schema = Schema()
    let fields: [(String, FieldType)] = [
      ("color", FieldType(.string)), ("count", FieldType(.int64)), ("size", FieldType(.double)),
      ("owner", FieldType(.reference)), ("tags", FieldType(.string, isList: true)),
      ("name", FieldType(.string)),
    ]
    schema.add(
      SchemaAddition(
        recordTypes: ["Note"],
        fields: fields.map {
          .init(recordType: "Note", name: $0.0, type: $0.1, indexes: .all(for: $0.1))
        }))
    return schema
  }()

  private func query(_ filters: String) throws -> SubscriptionQuery {
    let query = try Query(
      jsonBytes: Array(#"{"recordType":"Note","filterBy":[\#(filters)]}"#.utf8))
    return try SubscriptionQuery(
      WatchedQuery(query: query, firesOn: .create), of: "_ann", schema: schema,
      environment: .development)
  }

  private static func filter(_ comparator: String, _ field: String, _ value: String) -> String {
    #"{"comparator":"\#(comparator)","fieldName":"\#(field)","fieldValue":{"value":\#(value)}}"#
  }

  private static let isRed = filter("EQUALS", "color", #""red""#)
  private static let isOne = filter("EQUALS", "count", "1")

  /// Each argument has the filters of a subscription, the field whose value must become its key,
  /// and this value. Both are nil if the subscription must have no key.
  @Test(
    arguments: [
      ("", nil, nil), (isRed, "color", .text(Array("red".utf8))), (isOne, "count", .whole(1)),
      (isOne + "," + isRed, "color", .text(Array("red".utf8))),
      (isOne + "," + filter("EQUALS", "size", "1.5"), "size", .real(1.5)),
      (
        isRed + "," + filter("EQUALS", "___recordID", #""n""#), "___recordID",
        .text(Array("n".utf8))
      ),
      (
        filter("EQUALS", "name", #""b""#) + "," + isRed, "color", .text(Array("red".utf8))
      ),
      (filter("NOT_EQUALS", "color", #""red""#), nil, nil),
      (filter("BEGINS_WITH", "color", #""red""#), nil, nil),
      (filter("GREATER_THAN", "count", "1"), nil, nil),
      (filter("IN", "color", #"["red"]"#), "color", .text(Array("red".utf8))),
      (filter("IN", "color", #"["red","blue"]"#), nil, nil),
      (filter("LIST_CONTAINS", "tags", #""x""#), "tags", .text(Array("x".utf8))),
      (filter("LIST_CONTAINS_ALL", "tags", #"["y","x"]"#), "tags", .text(Array("x".utf8))),
      (filter("LIST_CONTAINS_ANY", "tags", #"["y","x"]"#), nil, nil),
      (filter("NOT_LIST_CONTAINS", "tags", #""x""#), nil, nil),
      (filter("EQUALS", "count", "1.5"), nil, nil),
    ] as [(String, String?, Scalar?)])
  func `a subscription is stored under the most selective value of its filters`(
    _ filters: String, _ field: String?, _ value: Scalar?
  ) throws {
    let watchKey = try query(filters).watchKey
    #expect(watchKey.subject == .records(type: "Note", field: field))
    if let field, let value {
      #expect(watchKey.key == .value(value, of: field, in: "Note"))
    } else {
      #expect(watchKey.key == .recordType("Note"))
    }
  }

  private func values(_ fields: [String: FieldValue], name: String = "n") -> RecordValues {
    let stamp = Stamp(timestamp: 1, userRecordName: "_ann", deviceID: "d")
    return RecordValues(
      record: StoredRecord(
        name: name, type: "Note", change: 1, isDeleted: false, created: stamp, modified: stamp,
        parentRecordName: nil, fields: .empty), fields: fields)
  }

  @Test func `each key of a change's old and new values is looked up once, in order`() {
    let watch = Watch([
      .records(type: "Note", field: "color"), .records(type: "Note", field: "tags"),
      .records(type: "Note", field: "___recordID"), .records(type: "Task", field: nil), .database,
    ])
    let keys = watch.keys(of: [
      values(["color": .string("red"), "count": .int64(1)]),
      values(["color": .string("red"), "tags": .list(.string, [.string("y"), .string("y")])]),
    ])
    let expected: [SubscriptionKey] = [
      .value(.text(Array("n".utf8)), of: "___recordID", in: "Note"),
      .value(.text(Array("red".utf8)), of: "color", in: "Note"),
      .value(.text(Array("y".utf8)), of: "tags", in: "Note"),
    ]
    #expect(keys == expected)
    #expect(watch.keys(of: [values([:])]).count == 1)
    #expect(
      Watch([.records(type: "Note", field: nil)]).keys(of: [values([:])]) == [.recordType("Note")])
  }

  private func change(
    _ subjects: [WatchSubject], zoneName: String, of types: [String]
  ) -> WatchedChange? {
    let zone = StoredZone(
      id: 1, database: .private(owner: "_ann"), name: zoneName, change: 4, clientChangeToken: nil)
    let records = types.enumerated().map { index, type in
      var record = values([:], name: "r\(index)").record
      record.type = type
      return record
    }
    return Watch(subjects).change(
      of: records, in: zone,
      by: ChangeOrigin(user: "_ann", deviceID: nil, notificationID: "N", time: 1)
    ) { _ in nil }
  }

  /// The subscribed subjects, the zone, the changed types, and the number of records in the outbox
  /// entry. The number is nil if there is no entry.
  @Test(
    arguments: [
      ([], "Z", ["A"], nil), ([.database], "Z", ["A"], 0), ([.zones], "Z", ["A"], 0),
      ([.database, .zones], "_defaultZone", ["A"], nil), ([.database], "Z", [], nil),
      ([.records(type: "A", field: nil)], "Z", ["A", "B", "A"], 2),
      ([.records(type: "A", field: "f")], "_defaultZone", ["A", "B"], 1),
      ([.records(type: "A", field: "f")], "Z", ["B"], nil),
      ([.records(type: "A", field: "f"), .database], "Z", ["B"], 0),
    ] as [([WatchSubject], String, [String], Int?)])
  func `a change is added to the outbox if a subscription might match it`(
    _ subjects: [WatchSubject], _ zone: String, _ types: [String], _ expected: Int?
  ) {
    #expect(change(subjects, zoneName: zone, of: types)?.images.count == expected)
  }

  @Test func `an outbox entry contains its change numbers and the types of the changed records`() {
    let left = change([.database], zoneName: "Z", of: ["B", "A", "B"])
    #expect(
      left?.event
        == .recordsChanged(ChangeRange(after: 4, through: 7), recordTypes: ["A", "B"]))
  }
}
