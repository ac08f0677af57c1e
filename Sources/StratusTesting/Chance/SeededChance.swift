/// Creates random numbers from a seed with SplitMix64.
///
/// The same seed gives the same numbers on every machine, so that a failing run can be repeated.
public struct SeededChance: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a source of random numbers. The same seed gives the same numbers.
  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Returns true with a probability of `likelihood` percent.
  public mutating func percent(_ likelihood: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < likelihood
  }

  /// Creates another source of random numbers. Its seed is the next number of this source.
  public mutating func split() -> SeededChance { SeededChance(seed: next()) }
}
