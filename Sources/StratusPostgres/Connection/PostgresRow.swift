#if Postgres
  import CPostgreSQL
  import StratusSQL

  /// A row of a result, in PostgreSQL's binary form.
  struct PostgresRow: SQLRow {
    let result: OpaquePointer
    let row: Int32

    func isNull(_ column: Int) -> Bool { PQgetisnull(result, row, Int32(clamping: column)) == 1 }

    /// Reads a whole number of 2, 4 or 8 bytes. `SELECT 1` has 4 bytes, and columns have 8.
    func integer(_ column: Int) -> Int64 {
      let raw = raw(column)
      guard let first = raw.first else { return 0 }
      var value: Int64 = first & 0x80 == 0 ? 0 : -1
      for byte in raw { value = value << 8 | Int64(byte) }
      return value
    }

    func text(_ column: Int) -> String { String(decoding: raw(column), as: UTF8.self) }

    func text(_ column: Int, ifNot known: String) -> String {
      let raw = raw(column)
      return known.utf8.elementsEqual(raw) ? known : String(decoding: raw, as: UTF8.self)
    }

    func bytes(_ column: Int) -> [UInt8] { Array(raw(column)) }

    /// The bytes of a column, without a copy. A null has none.
    private func raw(_ column: Int) -> UnsafeRawBufferPointer {
      let column = Int32(clamping: column)
      guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column)
      else { return UnsafeRawBufferPointer(start: nil, count: 0) }
      return UnsafeRawBufferPointer(
        start: start, count: Int(PQgetlength(result, row, column)))
    }
  }
#endif
