/// A point in time as the value of a field.
///
/// Web clients read and write whole milliseconds. A `Date` is a number of seconds and may lie
/// between two milliseconds. Its exact seconds are then stored beside the milliseconds, under the
/// key `referenceSeconds`. Clients that do not know this key ignore it.
public struct Timestamp: Sendable, Hashable, ExpressibleByIntegerLiteral {
  /// The milliseconds since 1970 UTC, which web clients see and queries compare.
  public let milliseconds: Int64
  /// The seconds since 2001 UTC, as `Date` stores them. nil means that the milliseconds are exact.
  public let referenceSeconds: Double?

  /// Creates a time from whole milliseconds since 1970 UTC.
  public init(_ milliseconds: Int64) {
    self.milliseconds = milliseconds
    referenceSeconds = nil
  }

  public init(integerLiteral value: Int64) { self.init(value) }

  /// Creates the time of a `Date`.
  ///
  /// - Parameter seconds: the seconds of the `Date` since 2001 UTC.
  /// - Returns: nil if the seconds are not finite, or too large to be counted in milliseconds.
  public init?(referenceSeconds seconds: Double) {
    guard let milliseconds = Self.milliseconds(of: seconds) else { return nil }
    let isWhole = Self.referenceSeconds(of: milliseconds) == seconds
    self.milliseconds = milliseconds
    referenceSeconds = isWhole ? nil : seconds
  }

  /// Creates a time from milliseconds and exact seconds.
  ///
  /// The seconds are ignored unless they round to these milliseconds. For example, a web client
  /// that changes a date may still send the seconds of the old date.
  init(milliseconds: Int64, referenceSeconds seconds: Double?) {
    if let seconds, let exact = Timestamp(referenceSeconds: seconds),
      exact.milliseconds == milliseconds
    {
      self = exact
    } else {
      self.init(milliseconds)
    }
  }

  /// The seconds since 2001 UTC of the `Date` that this time represents.
  public var dateReferenceSeconds: Double {
    referenceSeconds ?? Self.referenceSeconds(of: milliseconds)
  }

  /// The number of seconds from 1970 to 2001.
  private static let epochsApart = 978_307_200.0

  /// NB: the calculation must be the same as that of `Date`. Otherwise rounding errors would make
  /// whole milliseconds look like fractions.
  private static func referenceSeconds(of milliseconds: Int64) -> Double {
    Double(milliseconds) / 1_000 - epochsApart
  }

  private static func milliseconds(of referenceSeconds: Double) -> Int64? {
    Int64(exactly: ((referenceSeconds + epochsApart) * 1_000).rounded())
  }
}

extension Timestamp {
  /// The JSON key of ``referenceSeconds``, next to a field's value or a location's `timestamp`.
  static let key: StaticString = "referenceSeconds"
}

extension FieldValue {
  /// Whether this is a time with a fraction of a millisecond, or a list that contains one.
  var hasReferenceSeconds: Bool {
    switch self {
    case .timestamp(let time): time.referenceSeconds != nil
    case .list(.timestamp, let times): times.contains(where: \.hasReferenceSeconds)
    case .string, .int64, .double, .bytes, .location, .reference, .asset, .sealed, .list: false
    }
  }

  /// Writes the member `referenceSeconds` if a time of this value has a fraction of a millisecond.
  /// The member is a number, or a list with one element for each time. An element is null if its
  /// time is exact in milliseconds.
  func writeReferenceSeconds(to writer: inout JSONWriter, numbersAsStrings: Bool) {
    guard hasReferenceSeconds else { return }
    func write(_ time: FieldValue, to writer: inout JSONWriter) {
      guard case .timestamp(let time) = time, let seconds = time.referenceSeconds else {
        return writer.null()
      }
      numbersAsStrings ? writer.string(JSONNumber.text(seconds)) : writer.double(seconds)
    }
    writer.key(Timestamp.key)
    guard case .list(_, let times) = self else { return write(self, to: &writer) }
    writer.array { writer in for time in times { write(time, to: &writer) } }
  }

  /// Returns this value with the exact seconds that the JSON contains.
  func withReferenceSeconds(_ json: JSONView?) -> FieldValue {
    guard let json else { return self }
    switch self {
    case .timestamp(let time):
      return .timestamp(
        Timestamp(milliseconds: time.milliseconds, referenceSeconds: json.double))
    case .list(.timestamp, let times):
      let seconds = Array(json.elements)
      guard seconds.count == times.count else { return self }
      return .list(
        .timestamp, zip(times, seconds).map { $0.withReferenceSeconds($1.value) })
    case .string, .int64, .double, .bytes, .location, .reference, .asset, .sealed, .list:
      return self
    }
  }
}
