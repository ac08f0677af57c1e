#if Postgres
  import CPostgreSQL
  import StratusSQL

  /// The values of a statement in PostgreSQL's binary form.
  ///
  /// All values lie one after the other in one array, so that a statement needs one allocation.
  struct PostgresValues {
    private var bytes: [UInt8] = []
    /// The position in `bytes` at which each value begins, or nil for a null.
    private var starts: [Int?] = []
    private var lengths: [Int32] = []
    /// The type of each value for PostgreSQL, or 0 if PostgreSQL finds out the type.
    private(set) var types: [Oid] = []

    init(_ values: [SQLValue]) {
      starts.reserveCapacity(values.count)
      lengths.reserveCapacity(values.count)
      types.reserveCapacity(values.count)
      for value in values { append(value) }
      // NB: an array without elements may have no address, and libpq reads a missing address as a
      // null.
      bytes.append(0)
    }

    private mutating func append(_ value: SQLValue) {
      let start = bytes.count
      if case .integer = value { types.append(Self.bigint) } else { types.append(0) }
      switch value {
      case .null:
        starts.append(nil)
        lengths.append(0)
        return
      case .integer(let integer):
        withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
      case .text(let text):
        bytes.append(contentsOf: text.utf8)
      case .bytes(let blob):
        bytes.append(contentsOf: blob)
      }
      starts.append(start)
      lengths.append(Int32(clamping: bytes.count - start))
    }

    /// Calls `body` with the arrays that libpq expects. They are valid until `body` returns.
    func withPointers<Result>(
      _ body: (
        _ count: Int32, _ values: UnsafePointer<UnsafePointer<CChar>?>,
        _ lengths: UnsafePointer<Int32>, _ formats: UnsafePointer<Int32>
      ) -> Result
    ) -> Result {
      let formats = [Int32](repeating: Self.binary, count: max(1, starts.count))
      return bytes.withUnsafeBytes { raw in
        let base = raw.baseAddress
        var pointers: [UnsafePointer<CChar>?] = starts.map { start in
          start.flatMap { base?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
        }
        pointers.append(nil)
        return pointers.withUnsafeBufferPointer { pointers in
          (lengths + [0]).withUnsafeBufferPointer { lengths in
            formats.withUnsafeBufferPointer { formats in
              // NB: none of the three arrays is empty, so each has an address.
              guard let values = pointers.baseAddress, let sizes = lengths.baseAddress,
                let kinds = formats.baseAddress
              else { preconditionFailure("an array that is not empty has no address") }
              return body(Int32(clamping: starts.count), values, sizes, kinds)
            }
          }
        }
      }
    }

    /// Returns a list in PostgreSQL's binary form of an array. PostgreSQL finds out the type of the
    /// array from the statement.
    ///
    /// - Parameter type: the type of the elements.
    static func list(_ values: [SQLValue], of type: Oid) -> SQLValue {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(20 + values.count * 12)
      func append(_ number: Int32) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
      }
      func append(_ element: some Collection<UInt8>) {
        append(Int32(clamping: element.count))
        bytes.append(contentsOf: element)
      }
      // The number of dimensions, whether there are nulls, and the type. The length and the first
      // index of the only dimension follow.
      append(Int32(values.isEmpty ? 0 : 1))
      append(Int32(values.contains(.null) ? 1 : 0))
      append(Int32(bitPattern: type))
      if !values.isEmpty {
        append(Int32(clamping: values.count))
        append(Int32(1))
      }
      for value in values {
        switch value {
        case .null: append(Int32(-1))
        case .integer(let integer):
          append(Int32(8))
          withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
        case .text(let text): append(text.utf8)
        case .bytes(let blob): append(blob)
        }
      }
      return .bytes(bytes)
    }

    /// The type `BYTEA`.
    static let bytea: Oid = 17
    /// The type `BIGINT`. NB: without this type, PostgreSQL would expect four bytes for a number
    /// that is compared with a constant, such as in `1 = ?`.
    static let bigint: Oid = 20

    /// The format code of binary values.
    static let binary: Int32 = 1
  }
#endif
