import GRDB

/// How files are opened, each number with its reason.
enum SQLiteSettings {
  /// Pages in the write-ahead log after which it is copied into the file: 32 MiB.
  ///
  /// Eight times SQLite's own: a page that was changed often is copied once, and the copying is
  /// done beside the writes, not inside one. After a kill so much is read again.
  static let checkpointPages = 8_192
  /// How long another program (a backup, an operator's shell) may hold the file.
  static let busyTimeoutSeconds = 5.0
  /// Bodies that share one commit. A waiting body is delayed by those before it: at 10 µs each this
  /// is about as long as an ordinary disk takes to flush.
  static let bodiesPerCommitMax = 256
  /// Rows after which a commit takes no further bodies.
  static let rowsPerCommitMax = 4_096

  /// The one connection of a file that writes.
  ///
  /// NB: GRDB's own WAL mode (a `DatabasePool`, or `journalMode = .wal`) sets `synchronous=NORMAL`
  /// after `prepareDatabase` has run, and a commit would not be on disk when it returns.
  static var writer: Configuration {
    var configuration = shared
    configuration.prepareDatabase { database in
      // Pages of 4 KiB: a commit of one record writes six pages, whatever they hold.
      // The log is truncated to 64 MiB once it has grown beyond by a burst.
      try database.execute(
        sql: """
          PRAGMA page_size = 4096;
          PRAGMA journal_mode = WAL;
          PRAGMA synchronous = FULL;
          PRAGMA cache_size = -16384;
          PRAGMA wal_autocheckpoint = 0;
          PRAGMA journal_size_limit = 67108864;
          PRAGMA temp_store = MEMORY;
          """)
    }
    return configuration
  }

  /// A connection that copies the log into the file beside the writer.
  static var checkpointer: Configuration {
    var configuration = shared
    configuration.prepareDatabase { database in
      try database.execute(
        sql: """
          PRAGMA synchronous = FULL;
          PRAGMA cache_size = -256;
          PRAGMA wal_autocheckpoint = 0;
          """)
    }
    return configuration
  }

  /// One of several connections that only read.
  ///
  /// They read the file through the system's cache, mapped up to 1 GiB, so their own can be small.
  static var reader: Configuration {
    var configuration = shared
    configuration.readonly = true
    configuration.prepareDatabase { database in
      try database.execute(
        sql: """
          PRAGMA cache_size = -2048;
          PRAGMA mmap_size = 1073741824;
          PRAGMA temp_store = MEMORY;
          """)
    }
    return configuration
  }

  /// A connection to a store in memory, which nobody else has and nothing outlives.
  static var memory: Configuration {
    var configuration = shared
    configuration.prepareDatabase { database in
      try database.execute(
        sql: """
          PRAGMA synchronous = OFF;
          PRAGMA temp_store = MEMORY;
          """)
    }
    return configuration
  }

  /// A connection to a file that is copied, whoever else uses it.
  static var source: Configuration {
    var configuration = shared
    configuration.readonly = true
    return configuration
  }

  /// The one connection to a copy that nobody uses yet.
  ///
  /// NB: it has no write-ahead log, and only `EXTRA` flushes the folder once the journal is gone:
  /// one that came back after a loss of power would undo what was committed.
  static var copied: Configuration {
    var configuration = shared
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA synchronous = EXTRA")
    }
    return configuration
  }

  private static var shared: Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.allowsUnsafeTransactions = true
    configuration.busyMode = .timeout(busyTimeoutSeconds)
    return configuration
  }
}
