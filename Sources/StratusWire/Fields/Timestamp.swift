/// A point in time, as a field holds it.
///
/// Web clients read and write whole milliseconds. A native date is a number of seconds and may lie
/// between two milliseconds: then its seconds stand beside the milliseconds, and clients that do
/// not know them pass them over.
public struct Timestamp: Sendable, Hashable, ExpressibleByIntegerLiteral {
  /// Milliseconds since 1970 UTC: what web clients see and what queries compare.
  public let milliseconds: Int64
  /// Seconds since 2001 UTC, as `Date` keeps them; nil: the milliseconds say all.
  public let referenceSeconds: Double?

  /// Whole milliseconds since 1970 UTC.
  public init(_ milliseconds: Int64) {
    self.milliseconds = milliseconds
    referenceSeconds = nil
  }

  public init(integerLiteral value: Int64) { self.init(value) }

  /// The time of a date.
  ///
  /// - Parameter seconds: the date's seconds since 2001 UTC.
  /// - Returns: nil if they are not finite, or too many to be counted in milliseconds.
  public init?(referenceSeconds seconds: Double) {
    guard let milliseconds = Self.milliseconds(of: seconds) else { return nil }
    let isWhole = Self.referenceSeconds(of: milliseconds) == seconds
    self.milliseconds = milliseconds
    referenceSeconds = isWhole ? nil : seconds
  }

  /// Milliseconds, and the seconds that stand beside them.
  ///
  /// The seconds count only where they round to the milliseconds: a web client that changes a date
  /// may send back the seconds of the old one.
  init(milliseconds: Int64, referenceSeconds seconds: Double?) {
    if let seconds, let exact = Timestamp(referenceSeconds: seconds),
      exact.milliseconds == milliseconds
    {
      self = exact
    } else {
      self.init(milliseconds)
    }
  }

  /// Seconds since 2001 UTC: those of the date that this time was made from.
  public var dateReferenceSeconds: Double {
    referenceSeconds ?? Self.referenceSeconds(of: milliseconds)
  }

  /// Seconds from 1970 to 2001.
  private static let epochsApart = 978_307_200.0

  /// NB: calculated as `Date` does it, or whole milliseconds would not look whole.
  private static func referenceSeconds(of milliseconds: Int64) -> Double {
    Double(milliseconds) / 1_000 - epochsApart
  }

  private static func milliseconds(of referenceSeconds: Double) -> Int64? {
    Int64(exactly: ((referenceSeconds + epochsApart) * 1_000).rounded())
  }
}

extension Timestamp {
  /// The key of ``referenceSeconds``, beside the value of a field or the `timestamp` of a location.
  static let key: StaticString = "referenceSeconds"
}

extension FieldValue {
  /// Whether it is a time, or a list with a time, that is no whole number of milliseconds.
  var hasReferenceSeconds: Bool {
    switch self {
    case .timestamp(let time): time.referenceSeconds != nil
    case .list(.timestamp, let times): times.contains(where: \.hasReferenceSeconds)
    case .string, .int64, .double, .bytes, .location, .reference, .asset, .sealed, .list: false
    }
  }

  /// Writes the member `referenceSeconds` of a field, where its times need one: a number, or a list
  /// of as many numbers as there are times, with null for those that need none.
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

  /// This value with the seconds that stand beside it.
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
