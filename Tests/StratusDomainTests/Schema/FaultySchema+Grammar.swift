import StratusDomain

extension FaultySchema {
  /// Files with illegal characters or malformed comments.
  static let characters: [FaultySchema] =
    illegal.map { character, advice in
      .entry(
        "title ¦\(character) STRING", "'\(character)' is not part of the language; \(advice)")
    } + [
      FaultySchema(
        "DEFINE SCHEMA ¦/* no end", "the comment that begins here does not end; add '*/'"),
      FaultySchema(
        "DEFINE SCHEMA ¦/* /* */ -- ok\n RECORD".replacing("*/", with: "* /"),
        "the comment that begins here does not end; add '*/'"),
      .entry("¦9lives STRING", "a name begins with a letter, but '9lives' begins with a digit"),
      .entry("¦1 STRING", "a name begins with a letter, but '1' begins with a digit"),
      .entry("¦\"\" STRING", "a name must not be empty; write one between the quotation marks"),
      .statement(
        "RECORD TYPE ¦\"\" (a STRING);",
        "a name must not be empty; write one between the quotation marks"),
      .statement(
        "RECORD TYPE ¦2Fast (a STRING);",
        "a name begins with a letter, but '2Fast' begins with a digit"),
      .statement(
        "CREATE ROLE ¦7even;", "a name begins with a letter, but '7even' begins with a digit"),
      .entry("title ¦\u{1} STRING", "U+1 is not part of the language; remove it"),
      .entry("title ¦é STRING", "'é' is not part of the language; remove it"),
      .entry("a STRING,\r\n        b ¦% STRING", "'%' is not part of the language; remove it"),
    ]

  private static let illegal: [(String, String)] = [
    ("%", "remove it"), ("!", "remove it"), ("?", "remove it"), ("&", "remove it"),
    ("|", "remove it"), ("~", "remove it"), ("+", "remove it"), ("\\", "remove it"),
    ("'", "write names in straight double quotes"),
    ("`", "write names in straight double quotes"),
    ("“", "write names in straight double quotes"),
    ("”", "write names in straight double quotes"),
    (".", "write a name that contains it in double quotes"),
    ("$", "write a name that contains it in double quotes"),
    ("@", "write a name that contains it in double quotes"),
    ("{", "entries are enclosed in '(' and ')'"),
    ("[", "entries are enclosed in '(' and ')'"),
    ("}", "entries are enclosed in '(' and ')'"),
    ("]", "entries are enclosed in '(' and ')'"),
    (":", "a field is its name, a space and its type"),
    ("=", "a field is its name, a space and its type"),
    ("#", "a comment begins with '--' or '//'"),
    ("-", "a comment begins with '--' or '//', or is enclosed in '/*' and '*/'"),
    ("*", "a comment begins with '--' or '//', or is enclosed in '/*' and '*/'"),
  ]

  /// Faults of a file's structure and of its statements.
  static let statements: [FaultySchema] = [
    FaultySchema("¦", "a schema begins with 'DEFINE SCHEMA'; write it"),
    FaultySchema("  \n -- nothing\n¦", "a schema begins with 'DEFINE SCHEMA'; write it"),
    FaultySchema(
      "¦RECORD TYPE Note (a STRING);",
      "a schema begins with 'DEFINE SCHEMA'; add it before 'RECORD'"),
    FaultySchema(
      "\n\n¦CREATE ROLE Editor;", "a schema begins with 'DEFINE SCHEMA'; add it before 'CREATE'"),
    FaultySchema("¦SCHEMA", "a schema begins with 'DEFINE SCHEMA'; add it before 'SCHEMA'"),
    FaultySchema("¦;", "a schema begins with 'DEFINE SCHEMA'; add it before ';'"),
    FaultySchema(
      "¦\"DEFINE\" SCHEMA;",
      "a schema begins with 'DEFINE SCHEMA'; add it before \"DEFINE\""),
    FaultySchema("DEFINE ¦", "after 'DEFINE' comes 'SCHEMA', not the end of the file"),
    FaultySchema(
      "DEFINE ¦RECORD TYPE Note (a STRING);", "after 'DEFINE' comes 'SCHEMA', not 'RECORD'"),
    FaultySchema("DEFINE ¦SCHEME", "after 'DEFINE' comes 'SCHEMA', not 'SCHEME'"),
    FaultySchema("DEFINE ¦(", "after 'DEFINE' comes 'SCHEMA', not '('"),
    FaultySchema("DEFINE SCHEMA¦;", "there is no statement before this ';'; remove it"),
    .statement(
      "RECORD TYPE Note (a STRING);¦;", "there is no statement before this ';'; remove it"),
    .statement(
      "¦DEFINE SCHEMA;", "'DEFINE SCHEMA' stands once, at the beginning; remove this one"),
    .statement(
      "¦GRANT READ TO \"_world\";",
      "a GRANT belongs to a record type; move it into the parentheses of its type"),
    .statement(
      "¦TYPE Note (a STRING);",
      "a statement begins with 'RECORD TYPE' or 'CREATE ROLE', not 'TYPE'"),
    .statement(
      "¦TABLE Note (a STRING);",
      "a statement begins with 'RECORD TYPE' or 'CREATE ROLE', not 'TABLE'"),
    .statement(
      "¦\"RECORD\" TYPE Note (a STRING);",
      "a statement begins with 'RECORD TYPE' or 'CREATE ROLE', not \"RECORD\""),
    .statement("¦);", "a statement begins with 'RECORD TYPE' or 'CREATE ROLE', not ')'"),
    .statement(
      "RECORD ¦Note (a STRING);", "after 'RECORD' comes 'TYPE', not 'Note'; write 'RECORD TYPE'"),
    .statement(
      "RECORD ¦", "after 'RECORD' comes 'TYPE', not the end of the file; write 'RECORD TYPE'"),
    .statement(
      "CREATE ¦Editor;", "after 'CREATE' comes 'ROLE', not 'Editor'; write 'CREATE ROLE'"),
    .statement(
      "CREATE ¦TABLE Note;", "after 'CREATE' comes 'ROLE', not 'TABLE'; write 'CREATE ROLE'"),
    .statement("CREATE ROLE ¦;", "a role needs a name; write one after 'CREATE ROLE'"),
    .statement("CREATE ROLE ¦(a STRING);", "a role needs a name; write one after 'CREATE ROLE'"),
    .statement("CREATE ROLE A¦, B;", "a statement ends with ';'; add one before ','"),
    .statement("CREATE ROLE A ¦B;", "a statement ends with ';'; add one before 'B'"),
    .statement(
      "CREATE ROLE A\n    ¦RECORD TYPE Note (a STRING);",
      "a statement ends with ';'; add one before 'RECORD'"),
    .statement(
      "CREATE ROLE A ¦", "a statement ends with ';'; add one before the end of the file"),
    .statement(
      "RECORD TYPE ¦(a STRING);", "a record type needs a name; write one after 'RECORD TYPE'"),
    .statement("RECORD TYPE ¦;", "a record type needs a name; write one after 'RECORD TYPE'"),
    .statement(
      "RECORD TYPE Note ¦a STRING;",
      "after the name of a record type comes '(', not 'a'"),
    .statement(
      "RECORD TYPE Note¦;", "after the name of a record type comes '(', not ';'"),
    .statement(
      "RECORD TYPE My ¦Note (a STRING);", "after the name of a record type comes '(', not 'Note'"),
    .statement(
      "RECORD TYPE Note (a STRING)\n    ¦RECORD TYPE Other (b STRING);",
      "a statement ends with ';'; add one before 'RECORD'"),
    .statement(
      "RECORD TYPE Note (a STRING)¦",
      "a statement ends with ';'; add one before the end of the file"),
    .statement(
      "RECORD TYPE Note (a STRING)¦) ;", "a statement ends with ';'; add one before ')'"),
  ]

  /// Faults in the list of a record type's entries.
  static let entries: [FaultySchema] = [
    .entry("a STRING¦,", "the last entry of a record type has no ',' after it; remove the ','"),
    .entry(
      "GRANT READ TO \"_world\"¦,",
      "the last entry of a record type has no ',' after it; remove the ','"),
    .entry("¦, a STRING", "there is no entry before this ','; remove it"),
    .entry("a STRING, ¦, b STRING", "there is no entry before this ','; remove it"),
    .statement(
      "RECORD TYPE Note (¦, a STRING);", "there is no entry before this ','; remove it"),
    .entry("a STRING ¦b STRING", "entries have a ',' between them; add one before 'b'"),
    .entry("a STRING ¦\"b\" STRING", "entries have a ',' between them; add one before \"b\""),
    .entry(
      "a STRING QUERYABLE ¦b LIST<INT64>", "entries have a ',' between them; add one before 'b'"),
    .entry(
      "a LIST<STRING> ¦b ENCRYPTED INT64",
      "entries have a ',' between them; add one before 'b'"),
    .entry(
      "a STRING ¦GRANT READ TO \"_world\"",
      "entries have a ',' between them; add one before 'GRANT'"),
    .entry(
      "GRANT READ TO \"_world\" ¦a STRING",
      "entries have a ',' between them; add one before 'a'"),
    .entry(
      "GRANT READ TO \"_world\" ¦GRANT CREATE TO \"_icloud\"",
      "entries have a ',' between them; add one before 'GRANT'"),
    .entry("¦< STRING", "an entry is a field or a GRANT, not '<'"),
    .entry("¦(a STRING", "an entry is a field or a GRANT, not '('"),
    .statement(
      "RECORD TYPE Note (a STRING¦;", "the entries of 'Note' end with ')'; add one before ';'"),
    .statement(
      "RECORD TYPE Note (¦;", "the entries of 'Note' end with ')'; add one before ';'"),
    .statement(
      "RECORD TYPE Note (a STRING¦",
      "the entries of 'Note' end with ')'; add one before the end of the file"),
    .statement(
      "RECORD TYPE Note (a STRING, ¦",
      "the entries of 'Note' end with ')'; add one before the end of the file"),
    .statement(
      "RECORD TYPE Note (a STRING\n    ¦RECORD TYPE Other (b STRING);",
      "the entries of 'Note' end with ');'; add it before 'RECORD'"),
    .statement(
      "RECORD TYPE Note (a STRING,\n    ¦CREATE ROLE Editor;",
      "the entries of 'Note' end with ');'; add it before 'CREATE'"),
  ]
}
