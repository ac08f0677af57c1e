#if Postgres
  import CPostgreSQL

  /// The address of a PostgreSQL cluster, as libpq accepts it:
  /// `postgres://user@host:port/database?sslmode=verify-full`.
  ///
  /// The password comes from libpq's password file or from the variable `PGPASSWORD`. The first
  /// address loads libpq.
  public struct PostgresURL: Sendable, Hashable {
    /// An address that cannot be used.
    public struct Fault: Error, CustomStringConvertible {
      public let description: String
    }

    private let text: String
    /// The address without secrets, for the operator.
    public let shown: String

    /// - Throws: ``Fault`` with a sentence for the operator.
    public init(_ text: String) throws(Fault) {
      guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
        throw Fault(description: "--postgres needs an address that begins with postgres://")
      }
      // NB: libpq must be loaded before its other functions are called. Every connection needs a
      // `PostgresURL`, so this is the only place that loads libpq.
      if let reason = stratus_libpq_fault() {
        throw Fault(
          description: """
            PostgreSQL needs the library \(STRATUS_LIBPQ_NAME); install the Debian package libpq5 \
            (\(String(cString: reason)))
            """)
      }
      var message: UnsafeMutablePointer<CChar>?
      guard let options = PQconninfoParse(text, &message) else {
        let reason = message.map { String(cString: $0) } ?? "it is malformed"
        PQfreemem(message)
        throw Fault(
          description: "the address of --postgres cannot be used: "
            + reason.split(separator: "\n").joined(separator: "; "))
      }
      defer { PQconninfoFree(options) }
      var found: [String: String] = [:]
      var option = options
      while let keyword = option.pointee.keyword {
        if let value = option.pointee.val {
          found[String(cString: keyword)] = String(cString: value)
        }
        option += 1
      }
      // NB: every user of the machine can read the command line of a process.
      guard found["password"] == nil else {
        throw Fault(
          description: """
            the address of --postgres must not contain a password; put it into the file ~/.pgpass, \
            or into the variable PGPASSWORD
            """)
      }
      self.text = text
      shown = [found["host"] ?? "the local socket", found["port"] ?? "5432", found["dbname"] ?? ""]
        .filter { !$0.isEmpty }.joined(separator: ":")
    }

    /// Connects and waits for the result. Returns nil if there is not enough memory.
    ///
    /// `target_session_attrs` makes libpq skip the standbys of an address with several hosts.
    func connect(name: String) -> OpaquePointer? {
      let options = [
        ("dbname", text), ("fallback_application_name", name), ("client_encoding", "UTF8"),
        ("connect_timeout", "5"), ("target_session_attrs", "read-write"),
        ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "15000"),
      ]
      return withTexts(options.map { $0.0 }) { names in
        withTexts(options.map { $0.1 }) { values in
          // NB: libpq reads the first value as an address. The later values replace its settings.
          PQconnectdbParams(names, values, 1)
        }
      }
    }
  }

  /// Calls `body` with C texts and a final nil.
  private func withTexts<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    var bytes: [CChar] = []
    var starts: [Int] = []
    for text in texts {
      starts.append(bytes.count)
      bytes += text.utf8.map { CChar(bitPattern: $0) } + [0]
    }
    return bytes.withUnsafeBufferPointer { buffer in
      var pointers: [UnsafePointer<CChar>?] = starts.map { buffer.baseAddress?.advanced(by: $0) }
      pointers.append(nil)
      return pointers.withUnsafeBufferPointer { pointers in
        guard let start = pointers.baseAddress else {
          preconditionFailure("an array that is not empty has no address")
        }
        return body(start)
      }
    }
  }
#endif
