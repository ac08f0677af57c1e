import StratusWire

/// The record of most measurements. It has ten fields, as in an app for notes or tasks.
enum SampleRecord {
  static let recordType = "Task"

  static let list = "3f1c9a50d2b84e67"

  /// The fields with their types, in the form in which they are stored and sent.
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

  /// Queries that an app might send. The server creates an index for each of them.
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
