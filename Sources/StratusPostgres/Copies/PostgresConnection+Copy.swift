#if Postgres
  import CPostgreSQL
  import StratusDomain
  import StratusSQL

  /// The transfer of whole tables by PostgreSQL's `COPY`, in its binary format.
  extension PostgresConnection {
    /// Passes the rows of a query to `row`. Only one row at a time is in memory.
    ///
    /// - Parameter query: a `SELECT` without values.
    func copyOut(
      _ query: String, columns: [CopiedTable.Column],
      _ row: ([SQLValue]) throws(ServerError) -> Void
    ) throws(ServerError) {
      var thrown: ServerError?
      try directly { () throws(PostgresFailure) in
        try startCopy("COPY (\(query)) TO STDOUT (FORMAT binary)", PGRES_COPY_OUT)
        var reader = PostgresCopyReader(columns: columns)
        while true {
          var buffer: UnsafeMutablePointer<CChar>?
          let count = PQgetCopyData(handle, &buffer, 0)
          defer { PQfreemem(buffer) }
          if count == -1 { break }
          guard count > 0, let buffer else {
            throw PostgresFailure(of: nil, on: handle, doing: "copying rows")
          }
          // NB: after an error the rest of the rows is read, because libpq can stop the transfer
          // only by closing the connection.
          if thrown != nil { continue }
          do throws(ServerError) {
            try reader.add(UnsafeRawBufferPointer(start: buffer, count: Int(count)), row)
          } catch {
            thrown = error
          }
        }
        try endCopy()
      }
      if let thrown { throw thrown }
    }

    /// Adds rows to a table.
    ///
    /// - Parameter rows: is called with a function that adds one row.
    func copyIn(
      to table: String, columns: String,
      _ rows: (_ add: ([SQLValue]) throws(ServerError) -> Void) throws(ServerError) -> Void
    ) throws(ServerError) {
      writes += 1
      var thrown: ServerError?
      try directly { () throws(PostgresFailure) in
        try startCopy("COPY \(table) (\(columns)) FROM STDIN (FORMAT binary)", PGRES_COPY_IN)
        var buffer = PostgresCopyWriter()
        do throws(ServerError) {
          try rows { (values) throws(ServerError) in
            buffer.add(values)
            if buffer.bytes.count >= PostgresCopyWriter.bytesPerMessage {
              try send(&buffer)
            }
          }
          buffer.end()
          try send(&buffer)
        } catch {
          thrown = error
        }
        // NB: with an error text, PostgreSQL undoes the statement.
        let isSent = PQputCopyEnd(handle, thrown == nil ? nil : "the copy was stopped")
        if isSent != 1 { throw PostgresFailure(of: nil, on: handle, doing: "copying rows") }
        do throws(PostgresFailure) { try endCopy() } catch {
          if thrown == nil { throw error }
        }
      }
      if let thrown { throw thrown }
    }

    private func send(_ buffer: inout PostgresCopyWriter) throws(ServerError) {
      let isSent = buffer.bytes.withUnsafeBytes { bytes in
        PQputCopyData(
          handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
          Int32(clamping: bytes.count))
      }
      buffer.bytes.removeAll(keepingCapacity: true)
      if isSent != 1 {
        throw PostgresFailure(of: nil, on: handle, doing: "copying rows").error
      }
    }

    private func startCopy(
      _ text: String, _ expected: ExecStatusType
    ) throws(PostgresFailure) {
      let result = PQexec(handle, text)
      defer { PQclear(result) }
      guard PQresultStatus(result) == expected else {
        throw PostgresFailure(of: result, on: handle, doing: text)
      }
    }

    /// Reads the result of a transfer.
    private func endCopy() throws(PostgresFailure) {
      var failed: PostgresFailure?
      while let result = PQgetResult(handle) {
        if PQresultStatus(result) != PGRES_COMMAND_OK {
          failed = failed ?? PostgresFailure(of: result, on: handle, doing: "copying rows")
        }
        PQclear(result)
        if PQstatus(handle) != CONNECTION_OK { break }
      }
      if let failed { throw failed }
    }
  }

  /// Encodes rows in the binary format of `COPY`.
  struct PostgresCopyWriter {
    static let bytesPerMessage = 256 << 10

    /// The bytes that were not sent yet.
    var bytes: [UInt8] = PostgresCopyReader.signature + [UInt8](repeating: 0, count: 8)

    mutating func add(_ values: [SQLValue]) {
      append(Int16(clamping: values.count))
      for value in values {
        switch value {
        case .null: append(Int32(-1))
        case .integer(let number):
          append(Int32(8))
          append(number)
        case .text(let text):
          append(Int32(clamping: text.utf8.count))
          bytes.append(contentsOf: text.utf8)
        case .bytes(let data):
          append(Int32(clamping: data.count))
          bytes.append(contentsOf: data)
        }
      }
    }

    mutating func end() { append(Int16(-1)) }

    private mutating func append<Number: FixedWidthInteger>(_ number: Number) {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
  }

  /// Decodes rows from the binary format of `COPY`.
  struct PostgresCopyReader {
    static let signature = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]
    /// The number of bytes in the header: the signature, the flags, and the length of the header's
    /// extension. This length is always 0, so no extension follows.
    private static let headerBytes = signature.count + 8

    private let columns: [CopiedTable.Column]
    private var hasHeader = false
    private var isComplete = false
    /// The bytes of a row that has not arrived completely.
    private var rest: [UInt8] = []

    init(columns: [CopiedTable.Column]) { self.columns = columns }

    mutating func add(
      _ message: UnsafeRawBufferPointer, _ row: ([SQLValue]) throws(ServerError) -> Void
    ) throws(ServerError) {
      if rest.isEmpty {
        let used = try decode(message, row)
        rest.append(contentsOf: message[used...])
        return
      }
      rest.append(contentsOf: message)
      let whole = rest
      var used = 0
      var thrown: ServerError?
      whole.withUnsafeBytes { bytes in
        do throws(ServerError) { used = try decode(bytes, row) } catch { thrown = error }
      }
      if let thrown { throw thrown }
      rest.removeFirst(used)
    }

    /// Decodes the complete rows, and returns the number of bytes that they have.
    private mutating func decode(
      _ bytes: UnsafeRawBufferPointer, _ row: ([SQLValue]) throws(ServerError) -> Void
    ) throws(ServerError) -> Int {
      var position = 0
      if !hasHeader {
        guard bytes.count >= Self.headerBytes else { return 0 }
        guard bytes.prefix(Self.signature.count).elementsEqual(Self.signature) else {
          throw .fault("PostgreSQL sent rows in an unknown format")
        }
        hasHeader = true
        position = Self.headerBytes
      }
      while !isComplete {
        guard let (values, end) = try values(in: bytes, at: position) else { return position }
        position = end
        if let values { try row(values) } else { isComplete = true }
      }
      return bytes.count
    }

    /// - Returns: nil if the row is not complete. The values are nil after the last row.
    private func values(
      in bytes: UnsafeRawBufferPointer, at start: Int
    ) throws(ServerError) -> (values: [SQLValue]?, end: Int)? {
      guard let count = number(in: bytes, at: start, as: Int16.self) else { return nil }
      if count == -1 { return (nil, start + 2) }
      guard Int(count) == columns.count else {
        throw .fault("PostgreSQL sent a row with another number of columns")
      }
      var position = start + 2
      var values: [SQLValue] = []
      values.reserveCapacity(columns.count)
      for column in columns {
        guard let length = number(in: bytes, at: position, as: Int32.self) else { return nil }
        position += 4
        if length < 0 {
          values.append(.null)
          continue
        }
        let end = position + Int(length)
        guard end <= bytes.count else { return nil }
        let raw = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
        position = end
        switch column.kind {
        case .text: values.append(.text(String(decoding: raw, as: UTF8.self)))
        case .bytes: values.append(.bytes(Array(raw)))
        case .integer:
          guard let value = number(in: raw, at: 0, as: Int64.self) else {
            throw .fault("PostgreSQL sent a number of another size")
          }
          values.append(.integer(value))
        }
      }
      return (values, position)
    }

    private func number<Number: FixedWidthInteger>(
      in bytes: UnsafeRawBufferPointer, at position: Int, as type: Number.Type
    ) -> Number? {
      let size = MemoryLayout<Number>.size
      guard position + size <= bytes.count else { return nil }
      return Number(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
    }
  }
#endif
