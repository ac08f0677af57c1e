import StratusWire

/// A value that can be compared with other values of its field.
enum Scalar: Sendable, Hashable {
  /// A string, or the record name of a reference, in UTF-8.
  case text([UInt8])
  /// A whole number or a time.
  case whole(Int64)
  /// A floating-point number. It is never −0, because −0 equals 0.
  case real(Double)

  static func real(normal value: Double) -> Scalar { .real(value == 0 ? 0 : value) }

  /// Returns nil if values of this type cannot be compared.
  init?(_ value: FieldValue) {
    switch value {
    case .string(let text): self = .text(Array(text.utf8))
    case .int64(let number): self = .whole(number)
    // Choice: queries and orders compare whole milliseconds, as web clients see them.
    case .timestamp(let time): self = .whole(time.milliseconds)
    case .double(let number): self = .real(normal: number)
    case .reference(let reference): self = .text(Array(reference.recordName.utf8))
    case .bytes, .location, .asset, .sealed, .list: return nil
    }
  }

  /// Whether a column contains the whole value, so that the column's bytes decide equality and
  /// order.
  var fitsColumn: Bool {
    switch self {
    // NB: a text of exactly the maximum size looks like a longer text that was cut.
    case .text(let bytes): bytes.count < ColumnBytes.textBytesMax
    case .whole, .real: true
    }
  }
}

extension Scalar: Comparable {
  static func < (left: Scalar, right: Scalar) -> Bool {
    switch (left, right) {
    case (.text(let left), .text(let right)): left.precedes(right)
    case (.whole(let left), .whole(let right)): left < right
    case (.real(let left), .real(let right)): left < right
    // A field has values of one kind only. This case keeps the order total.
    case (.whole, _), (.real, .text): true
    case (.text, _), (.real, .whole): false
    }
  }
}

extension Array where Element == UInt8 {
  /// Whether these bytes sort before `other`.
  func precedes(_ other: [UInt8]) -> Bool { compare(other, from: 0, 0) < 0 }

  /// Compares the bytes from `start` on with the bytes of `other` from `otherStart` on.
  ///
  /// - Returns: a number below 0 if these bytes sort first, 0 if both are equal, and else above 0.
  func compare(_ other: [UInt8], from start: Int, _ otherStart: Int) -> Int {
    withUnsafeBytes { own in
      other.withUnsafeBytes { other in
        let count = own.count - start
        let otherCount = other.count - otherStart
        for index in 0..<Swift.min(count, otherCount) {
          let left = own[start + index]
          let right = other[otherStart + index]
          if left != right { return left < right ? -1 : 1 }
        }
        return count - otherCount
      }
    }
  }
}
