import StratusWire

/// The record of most measurements: ten fields, as an app of notes or tasks has them.
enum SampleRecord {
  static let recordType = "Task"

  static let list = "3f1c9a50d2b84e67"

  /// The fields in their stored and sent form, with types.
  static let fields = FieldsJSON([
    ("title", .string("Water the plants on the balcony")),
    ("note", .string("Twice in July, and not at noon.")),
    ("list", .string(list)),
    ("position", .double(1_024.5)),
    ("priority", .int64(2)),
    ("isDone", .int64(0)),
    ("dueAt", .timestamp(1_767_225_600_000)),
    ("createdAt", .timestamp(1_764_547_200_000)),
    ("tags", .list(.string, [.string("home"), .string("garden")])),
    ("colour", .string("green")),
  ])

  /// Queries as an app would send them. The server keeps an index for each.
  static let queries = [
    Query(
      recordType: recordType,
      filters: [
        .field(
          FieldFilter(.equals, QueryKey(field: "list"), .string(list)))
      ], sorts: [QuerySort(QueryKey(field: "dueAt"))]),
    Query(recordType: recordType, sorts: [QuerySort(QueryKey(field: "priority"))]),
  ]
}
