import StratusDomain

extension FaultySchema {
  private static let knownTypes =
    "the types are ASSET, BYTES, DOUBLE, ENCRYPTED T, INT64, LIST<T>, LOCATION, NUMBER, "
    + "REFERENCE, STRING and TIMESTAMP"

  private static let otherNames: [(String, [String])] = [
    ("write INT64", ["INT", "INTEGER", "INT32", "LONG", "BOOL", "BOOLEAN", "bool"]),
    ("write DOUBLE", ["FLOAT", "REAL", "DECIMAL"]),
    ("write TIMESTAMP", ["DATE", "TIME", "DATETIME"]),
    ("write STRING", ["TEXT", "CHAR", "VARCHAR", "UUID", "URL"]),
    ("write BYTES", ["DATA", "BLOB", "BINARY"]),
    ("write ASSET", ["FILE", "ASSETID"]),
    ("write LIST<T>", ["ARRAY", "SET"]),
    ("write LOCATION", ["GEOPOINT", "COORDINATE"]),
    ("the type stands before the options", ["QUERYABLE", "SORTABLE", "SEARCHABLE"]),
    (knownTypes, ["BADTYPE", "STRINGS", "Note", "MAP"]),
  ]

  /// Faults of field types.
  static let types: [FaultySchema] =
    otherNames.flatMap { advice, words in
      words.map { .entry("a ¦\($0)", "'\($0)' is not a type; \(advice)") }
    } + [
      .entry("a LIST<¦TEXT>", "'TEXT' is not a type; write STRING"),
      .statement(
        "RECORD TYPE Note (a¦);", "the field 'a' needs a type, such as STRING, before ')'"),
      .entry("a¦, b STRING", "the field 'a' needs a type, such as STRING, before ','"),
      .entry("a ¦\"STRING\"", "the field 'a' needs a type, such as STRING, before \"STRING\""),
      .entry("a LIST<¦>", "the field 'a' needs a type, such as STRING, before '>'"),
      .entry("a LIST ¦STRING", "after 'LIST' comes '<', not 'STRING'; write LIST<STRING>"),
      .entry("a LIST¦, b STRING", "after 'LIST' comes '<', not ','; write LIST<STRING>"),
      .entry("a LIST¦> STRING", "after 'LIST' comes '<', not '>'; write LIST<STRING>"),
      .entry(
        "a LIST<STRING ¦QUERYABLE",
        "the type of a list ends with '>'; add one before 'QUERYABLE'"),
      .entry("a LIST<STRING¦, b STRING", "the type of a list ends with '>'; add one before ','"),
      .entry(
        "a LIST<¦LIST<STRING>>",
        "a list cannot hold lists; write LIST<T> with the type of a single value"),
      .entry("a ENCRYPTED ¦REFERENCE", "a REFERENCE cannot be encrypted; remove 'ENCRYPTED'"),
      .entry(
        "a LIST<ENCRYPTED ¦REFERENCE>", "a REFERENCE cannot be encrypted; remove 'ENCRYPTED'"),
      .entry(
        "a ENCRYPTED ¦ASSET",
        "an ASSET has no option 'ENCRYPTED', since assets always are; remove it"),
      .entry(
        "a ENCRYPTED ¦NUMBER",
        "an encrypted number is ENCRYPTED INT64 or ENCRYPTED DOUBLE; write one"),
      .entry(
        "a ENCRYPTED ¦LIST<STRING>",
        "in a list, ENCRYPTED stands before the element; write LIST<ENCRYPTED T>"),
      .entry(
        "a ENCRYPTED¦, b STRING",
        "after 'ENCRYPTED' comes BYTES, DOUBLE, INT64, LOCATION, STRING or TIMESTAMP, not ','"),
      .entry(
        "a ENCRYPTED ¦TEXT",
        "after 'ENCRYPTED' comes BYTES, DOUBLE, INT64, LOCATION, STRING or TIMESTAMP, not 'TEXT'"
      ),
      .entry(
        "a ENCRYPTED ¦ENCRYPTED STRING",
        "after 'ENCRYPTED' comes BYTES, DOUBLE, INT64, LOCATION, STRING or TIMESTAMP, not "
          + "'ENCRYPTED'"),
      .entry(
        "a NUMBER PREFERRED ¦INT64", "after 'PREFERRED' comes 'AS', not 'INT64'"),
      .entry("a NUMBER PREFERRED¦, b STRING", "after 'PREFERRED' comes 'AS', not ','"),
      .entry(
        "a NUMBER PREFERRED AS ¦STRING",
        "after 'PREFERRED AS' comes INT64 or DOUBLE, not 'STRING'"),
      .entry(
        "a NUMBER PREFERRED AS¦, b STRING",
        "after 'PREFERRED AS' comes INT64 or DOUBLE, not ','"),
      .entry(
        "a DOUBLE ¦PREFERRED AS INT64",
        "'PREFERRED' is not an index option; PREFERRED AS follows NUMBER only; remove it"),
      .entry(
        "a STRING ¦ENCRYPTED",
        "'ENCRYPTED' is not an index option; ENCRYPTED stands before the type"),
    ]

  /// Faults of grants.
  static let grants: [FaultySchema] = [
    .entry("GRANT ¦TO \"_world\"", "a GRANT names READ, CREATE or WRITE, not 'TO'"),
    .entry("GRANT ¦DELETE TO \"_world\"", "a GRANT names READ, CREATE or WRITE, not 'DELETE'"),
    .entry("GRANT ¦ALL TO \"_world\"", "a GRANT names READ, CREATE or WRITE, not 'ALL'"),
    .entry("GRANT ¦, a STRING", "a GRANT names READ, CREATE or WRITE, not ','"),
    .entry("GRANT ¦\"READ\" TO \"_world\"", "a GRANT names READ, CREATE or WRITE, not \"READ\""),
    .entry(
      "GRANT READ, ¦UPDATE TO \"_world\"", "a GRANT names READ, CREATE or WRITE, not 'UPDATE'"),
    .entry("GRANT READ, ¦TO \"_world\"", "a GRANT names READ, CREATE or WRITE, not 'TO'"),
    .entry(
      "GRANT ¦STRING",
      "a GRANT names READ, CREATE or WRITE, not 'STRING'; a field of that name is written \"grant\""
    ),
    .entry(
      "grant ¦INT64 QUERYABLE",
      "a GRANT names READ, CREATE or WRITE, not 'INT64'; a field of that name is written \"grant\""
    ),
    .entry("GRANT READ, ¦READ TO \"_world\"", "the GRANT names READ twice; remove one"),
    .entry("GRANT READ, WRITE, ¦READ TO \"_world\"", "the GRANT names READ twice; remove one"),
    .entry(
      "GRANT READ ¦WRITE TO \"_world\"",
      "after the permissions of a GRANT comes 'TO', not 'WRITE'"),
    .entry(
      "GRANT READ ¦\"_world\"", "after the permissions of a GRANT comes 'TO', not \"_world\""),
    .entry("GRANT READ ¦FOR \"_world\"", "after the permissions of a GRANT comes 'TO', not 'FOR'"),
    .entry(
      "GRANT READ TO ¦_world", "a name that begins with '_' needs quotes; write \"_world\""),
    .entry("GRANT READ TO ¦, a STRING", "a GRANT needs a role; write one after 'TO'"),
    .entry("GRANT READ TO ¦(", "a GRANT needs a role; write one after 'TO'"),
    .entry("GRANT READ TO ¦Editor", "there is no role 'Editor'; add 'CREATE ROLE Editor;'"),
    .entry("GRANT READ TO ¦\"Editor\"", "there is no role 'Editor'; add 'CREATE ROLE Editor;'"),
    .entry(
      "GRANT READ TO ¦\"_public\"",
      "there is no role '_public'; the system's roles are _creator, _icloud and _world"),
    .entry(
      "GRANT READ TO \"_world\", GRANT WRITE TO ¦\"_owner\"",
      "there is no role '_owner'; the system's roles are _creator, _icloud and _world"),
  ]

  private static let reserved = ["grant", "preferred", "queryable", "searchable", "sortable"]

  /// Files with names that are reserved, belong to the system, occur twice or are malformed.
  static let names: [FaultySchema] =
    reserved.dropFirst().map {
      .entry("¦\($0) STRING", "'\($0)' is a reserved word; write \"\($0)\" in quotes as a name")
    }
    + reserved.flatMap { word -> [FaultySchema] in
      let reason = "'\(word)' is a reserved word; write \"\(word)\" in quotes as a name"
      return [
        .statement("RECORD TYPE ¦\(word) (a STRING);", reason),
        .statement("CREATE ROLE ¦\(word);", reason),
      ]
    } + [
      .entry(
        "¦___recordID REFERENCE",
        "a name that begins with '_' needs quotes; write \"___recordID\""),
      .entry("¦_mine STRING", "a name that begins with '_' needs quotes; write \"_mine\""),
      .statement(
        "RECORD TYPE ¦_Note (a STRING);",
        "a name that begins with '_' needs quotes; write \"_Note\""),
      .statement(
        "CREATE ROLE ¦_editor;", "a name that begins with '_' needs quotes; write \"_editor\""),
      .statement(
        "RECORD TYPE ¦\"_Note\" (a STRING);",
        "names that begin with '_' belong to the system; give the record type another name"),
      .statement(
        "CREATE ROLE ¦\"_world\";",
        "names that begin with '_' belong to the system; give the role another name"),
      .entry("¦\"_mine\" STRING", noSystemField("_mine")),
      .entry("¦\"___share\" REFERENCE", noSystemField("___share")),
      .entry("¦\"___parent\" REFERENCE", noSystemField("___parent")),
      .entry("¦\"___modifiedTime\" TIMESTAMP", noSystemField("___modifiedTime")),
      .entry(
        "¦\"my title\" STRING",
        "the name 'my title' of a field must be a letter, followed by letters, digits and '_'; "
          + "change it"),
      .entry(
        "¦\"titel.kurz\" STRING",
        "the name 'titel.kurz' of a field must be a letter, followed by letters, digits and '_'; "
          + "change it"),
      .entry(
        "¦\"größe\" STRING",
        "the name 'größe' of a field must be a letter, followed by letters, digits and '_'; "
          + "change it"),
      .statement(
        "RECORD TYPE ¦\"1st\" (a STRING);",
        "the name '1st' of a record type must be a letter, followed by letters, digits and '_'; "
          + "change it"),
      .statement(
        "RECORD TYPE ¦\"cloudkit.zone\" (a STRING);",
        "the name 'cloudkit.zone' of a record type must be a letter, followed by letters, digits "
          + "and '_'; change it"),
      .statement(
        "CREATE ROLE ¦\"a role\";",
        "the name 'a role' of a role must be a letter, followed by letters, digits and '_'; "
          + "change it"),
      .entry(
        "¦\(long) STRING", "the name of the field has more than 255 characters; shorten it"),
      .statement(
        "RECORD TYPE ¦\(long) (a STRING);",
        "the name of the record type has more than 255 characters; shorten it"),
      .statement(
        "CREATE ROLE ¦\(long);", "the name of the role has more than 255 characters; shorten it"),
      .entry("¦first INT64", "the field 'first' is defined on line 4 already; remove one"),
      .entry("¦\"first\" STRING", "the field 'first' is defined on line 4 already; remove one"),
      .entry(
        "\"___etag\" STRING, ¦\"___etag\" STRING",
        "the field '___etag' is defined on line 5 already; remove one"),
      .statement(
        "RECORD TYPE A (a STRING);\n    RECORD TYPE ¦A (b STRING);",
        "the record type 'A' is defined on line 2 already; remove one"),
      .statement(
        "RECORD TYPE A (a STRING);\n    RECORD TYPE ¦\"A\" (b STRING);",
        "the record type 'A' is defined on line 2 already; remove one"),
      .statement(
        "CREATE ROLE A;\n    CREATE ROLE ¦A;",
        "the role 'A' is defined on line 2 already; remove one"),
      .statement(
        "RECORD TYPE Users (roles ¦STRING);",
        "the field 'roles' of 'Users' is LIST<INT64>; write this type"),
      .statement(
        "RECORD TYPE Users (roles ¦INT64);",
        "the field 'roles' of 'Users' is LIST<INT64>; write this type"),
    ]

  private static let long = "a" + String(repeating: "b", count: 255)

  private static func noSystemField(_ name: String) -> String {
    "there is no system field '\(name)'; the system fields are ___createTime, ___createdBy, "
      + "___etag, ___modTime, ___modifiedBy, ___recordID"
  }

  private static let wrongOptions: [(type: String, option: String, reason: String)] =
    [
      "ENCRYPTED STRING", "ENCRYPTED INT64", "ENCRYPTED DOUBLE", "ENCRYPTED BYTES",
      "ENCRYPTED TIMESTAMP", "ENCRYPTED LOCATION", "LIST<ENCRYPTED STRING>",
    ].flatMap { type in
      ["QUERYABLE", "SORTABLE", "SEARCHABLE"].map {
        (type, $0, "an encrypted field cannot be \($0); remove the option")
      }
    }
    + ["ASSET", "LIST<ASSET>"].flatMap { type in
      ["QUERYABLE", "SORTABLE", "SEARCHABLE"].map {
        (type, $0, "an ASSET cannot be \($0); remove the option")
      }
    }
    + ["STRING", "INT64", "DOUBLE", "TIMESTAMP", "REFERENCE", "LOCATION", "BYTES"].map {
      ("LIST<\($0)>", "SORTABLE", "a list cannot be SORTABLE; remove the option")
    }
    + [
      "INT64", "DOUBLE", "TIMESTAMP", "REFERENCE", "LOCATION", "BYTES", "NUMBER",
      "LIST<INT64>",
    ].map {
      ($0, "SEARCHABLE", "only STRING and LIST<STRING> can be SEARCHABLE; remove the option")
    }

  private static let systemTypes: [(String, String)] = [
    ("___createTime", "TIMESTAMP"), ("___createdBy", "REFERENCE"), ("___etag", "STRING"),
    ("___modTime", "TIMESTAMP"), ("___modifiedBy", "REFERENCE"), ("___recordID", "REFERENCE"),
  ]

  /// Faults of index options and of system field types.
  static let options: [FaultySchema] =
    wrongOptions.map { .entry("a \($0.type) ¦\($0.option)", $0.reason) }
    + systemTypes.map { name, type in
      .entry(
        "\"\(name)\" ¦INT64", "the system field '\(name)' is a \(type); write this type")
    }
    + ["UNIQUE", "REQUIRED", "NOT", "NULL", "DEFAULT", "PRIMARY"].map {
      .entry(
        "a STRING ¦\($0)",
        "'\($0)' is not an index option; CloudKit has no constraints; remove it")
    } + [
      .entry("a STRING ¦INDEXED", "'INDEXED' is not an index option; write QUERYABLE"),
      .entry("a STRING ¦INDEX", "'INDEX' is not an index option; write QUERYABLE"),
      .entry(
        "a STRING ¦SORTED",
        "'SORTED' is not an index option; the options are QUERYABLE, SEARCHABLE and SORTABLE"),
      .entry(
        "a STRING QUERYABLE ¦QUERY",
        "'QUERY' is not an index option; the options are QUERYABLE, SEARCHABLE and SORTABLE"),
      .entry(
        "a STRING QUERYABLE ¦QUERYABLE", "the field has the option QUERYABLE twice; remove one"),
      .entry(
        "a STRING SORTABLE QUERYABLE ¦SORTABLE",
        "the field has the option SORTABLE twice; remove one"),
      .entry(
        "\"___recordID\" REFERENCE ¦SEARCHABLE",
        "only STRING and LIST<STRING> can be SEARCHABLE; remove the option"),
      .entry(
        "\"___createTime\" ¦LIST<TIMESTAMP>",
        "the system field '___createTime' is a TIMESTAMP; write this type"),
    ]
}
