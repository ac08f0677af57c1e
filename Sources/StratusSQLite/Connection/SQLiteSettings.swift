/// The settings of SQLite connections.
enum SQLiteSettings {
  /// The number of pages at which the writer makes the write-ahead log begin again at its start: 32
  /// MiB. After the process was killed, the next start reads a log of up to this size.
  static let checkpointPages = 8_192
  /// The number of pages after which the new pages of the log are copied into the file, in parallel
  /// with the writes: 8 MiB. A page that changes often is then copied seldom. While more pages are
  /// flushed, other commits would wait longer for the disk.
  static let pagesPerCopy = 2_048
  /// The number of pages that the writer copies itself before the log begins again: 2 MiB, which
  /// takes a few milliseconds. If more pages are left, they are copied in parallel first.
  static let pagesCopiedByWriterMax = 512
  /// The maximum number of repeated copies before the writer copies the rest in any case.
  static let repeatedCopiesMax = 3
  /// The time that this program waits while another program locks the file. Such a program is, for
  /// example, a backup or an operator's shell.
  static let busyTimeoutMilliseconds: Int32 = 5_000
  /// The maximum number of bodies in one commit. Each body waits for all bodies of its commit. At
  /// 10 µs for each body, this many bodies take about as long as a flush of an ordinary disk.
  static let bodiesPerCommitMax = 256
  /// The number of changed rows after which a commit accepts no more bodies.
  static let rowsPerCommitMax = 4_096
  /// If a file has this number of unused pages or more (4 MiB), space is returned to the system.
  /// If the file has fewer unused pages, they stay in the file for the next writes.
  static let unusedPagesMax = 1_024
  /// The number of pages that one step returns to the system. The step first moves the contents of
  /// the file's last pages to unused pages, and then cuts the last pages off. A step takes 10 to
  /// 30 ms, during which other writers wait.
  static let pagesPerVacuumStep = 256

  /// The maximum number of times that checkpoints try to truncate the log after space was returned.
  /// An attempt fails immediately if a reader uses the log. A log that is not truncated has at most
  /// 64 MiB.
  static let truncationsMax = 20

  /// The configuration of the only connection that writes to a file.
  ///
  /// Pages have 4 KiB, because a commit of one record writes six pages, whatever their size. A log
  /// that has grown beyond 64 MiB is truncated to that size.
  ///
  /// NB: `auto_vacuum` has an effect only on new files, and must be set before the journal mode.
  static let writer = SQLiteConfiguration(
    pragmas: """
      PRAGMA page_size = 4096;
      PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -16384;
      PRAGMA wal_autocheckpoint = 0;
      PRAGMA journal_size_limit = 67108864;
      PRAGMA temp_store = MEMORY;
      """)

  /// The configuration of a connection that copies the log into the file while the writer
  /// continues.
  static let checkpointer = SQLiteConfiguration(
    pragmas: """
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -256;
      PRAGMA wal_autocheckpoint = 0;
      """)

  /// The configuration of the connections that only read.
  ///
  /// Readers use the system's file cache. The first 64 MiB of the file are mapped, so that their
  /// pages need not be copied. Each reader's mapping counts as memory of the process. With a larger
  /// mapping, a server with a file of one gigabyte would seem to use several gigabytes.
  static let reader = SQLiteConfiguration(
    isReadOnly: true,
    pragmas: """
      PRAGMA cache_size = -4096;
      PRAGMA mmap_size = 67108864;
      PRAGMA temp_store = MEMORY;
      """)

  /// The configuration of a store in memory. Its data is lost when the connection closes.
  static let memory = SQLiteConfiguration(
    pragmas: """
      PRAGMA synchronous = OFF;
      PRAGMA temp_store = MEMORY;
      """)

  /// The configuration for reading a file that is copied or inspected. Other connections may use
  /// the file.
  static let source = SQLiteConfiguration(isReadOnly: true)

  /// The configuration of the only connection to a new copy, which no server uses yet.
  ///
  /// NB: the copy has no write-ahead log. Only the setting `EXTRA` flushes the folder after the
  /// journal is deleted. Otherwise the journal could exist again after a power loss, and would undo
  /// a commit.
  static let copied = SQLiteConfiguration(pragmas: "PRAGMA synchronous = EXTRA;")

  /// The configuration of the only connection to a file that is compacted. SQLite sorts in
  /// temporary files and not in memory.
  static let compacted = SQLiteConfiguration(
    pragmas: """
      PRAGMA cache_size = -16384;
      PRAGMA temp_store = FILE;
      """)
}
