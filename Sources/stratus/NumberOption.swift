/// Checks the value of an option that takes a number.
///
/// - Parameter option: the option as the operator writes it, such as `--backup-count`.
/// - Throws: `Failure` with the option, its number and the range, unless the range contains the
///   number.
func requireNumber<Number: BinaryInteger>(
  _ number: Number, in range: ClosedRange<Number>, of option: String
) throws {
  if range.contains(number) { return }
  throw Failure("\(option) '\(number)' must be \(range.lowerBound) to \(range.upperBound)")
}

/// Checks the value of an option that takes a number, if the range of numbers has no end.
///
/// - Throws: `Failure` with the option, its number and the smallest number.
func requireNumber<Number: BinaryInteger>(
  _ number: Number, in range: PartialRangeFrom<Number>, of option: String
) throws {
  if range.contains(number) { return }
  throw Failure("\(option) '\(number)' must be \(range.lowerBound) or more")
}

/// Checks the port at which a server listens; 0 means any free port. The system would silently use
/// the last 16 bits of a larger number.
///
/// - Throws: `Failure` for a number that is not a port.
func requirePort(_ port: Int, of option: String) throws {
  try requireNumber(port, in: 0...65_535, of: option)
}
