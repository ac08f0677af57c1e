/// How a connection to an SQLite file is opened.
struct SQLiteConfiguration {
  /// Whether the connection only reads. Such a connection does not create a missing file.
  var isReadOnly = false
  /// The statements that set up the connection. Each one ends with a semicolon.
  var pragmas = ""
}
