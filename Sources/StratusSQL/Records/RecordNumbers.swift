public import StratusDomain

/// The record numbers that a session has taken from the store's counter. Each session takes numbers
/// in blocks, so that no two sessions use the same number.
///
/// Unused numbers of a block are lost when the session ends.
struct RecordNumbers {
  /// The minimum size of a block. With blocks of 1,000, only one new record in a thousand needs
  /// statements that take a block.
  static let blockSize: Int64 = 1_000

  /// The unused numbers of the session's block.
  private var left: Range<Int64> = 0..<0
  /// The numbers that this transaction took for records that are not written yet.
  private var drawn: [Range<Int64>] = []

  /// Takes consecutive numbers from the block. Returns the first number, or nil if too few numbers
  /// are left.
  mutating func draw(_ count: Int64) -> Int64? {
    guard Int64(left.count) >= count else { return nil }
    let first = left.lowerBound
    left = (first + count)..<left.upperBound
    if let last = drawn.last, last.upperBound == first {
      drawn[drawn.count - 1] = last.lowerBound..<(first + count)
    } else {
      drawn.append(first..<(first + count))
    }
    return first
  }

  /// Adds a block of numbers that was taken from the store's counter.
  mutating func add(_ block: Range<Int64>) {
    left = left.upperBound == block.lowerBound ? left.lowerBound..<block.upperBound : block
  }

  /// Returns the size of a block from which `count` consecutive numbers can be taken.
  static func sizeOfBlock(for count: Int64) -> Int64 { max(count, blockSize) }

  /// Whether this transaction took the number for a record that is not written yet.
  func isNew(_ number: Int64) -> Bool { drawn.contains { $0.contains(number) } }

  mutating func forgetDrawn() {
    if !drawn.isEmpty { drawn.removeAll(keepingCapacity: true) }
  }
}

extension StoreSession {
  public func drawRecordNumbers(_ count: Int) throws(ServerError) -> Int64 {
    let count = Int64(max(0, count))
    if let first = recordNumbers.draw(count) { return first }
    let size = RecordNumbers.sizeOfBlock(for: count)
    if connection.dialect.hasSequences {
      recordNumbers.add(try blockOfSequence(size))
    } else {
      recordNumbers.add(try blockOfCounter(size))
    }
    guard let first = recordNumbers.draw(count) else {
      throw .fault("a block of record numbers is too small")
    }
    return first
  }

  /// NB: an undone transaction does not give back the numbers that it took from a sequence, so the
  /// session need not forget them.
  private func blockOfSequence(_ size: Int64) throws(ServerError) -> Range<Int64> {
    guard size == RecordNumbers.blockSize else {
      throw .fault("one write creates more records than a block has numbers")
    }
    guard let first = try connection.first(NumberStatements.nextOfSequence, [], { $0.integer(0) })
    else { throw .fault("the store does not count its records") }
    return first..<(first + size)
  }

  private func blockOfCounter(_ size: Int64) throws(ServerError) -> Range<Int64> {
    note(\.hasRecordNumbers)
    // NB: change the counter before reading it. The change locks the row until the transaction
    // ends.
    try connection.queue(
      NumberStatements.draw, [.integer(size)],
      expecting: .one(otherwise: "the store does not count its records"))
    guard let end = try connection.first(NumberStatements.next, [], { $0.integer(0) }) else {
      throw .fault("the store does not count its records")
    }
    return (end - size)..<end
  }
}

private enum NumberStatements {
  static let draw = SQLStatement("UPDATE record_count SET next = next + ?")
  static let next = SQLStatement("SELECT next FROM record_count")
  /// NB: the sequence counts in steps of the size of a block.
  static let nextOfSequence = SQLStatement("SELECT nextval('record_numbers')")
}
