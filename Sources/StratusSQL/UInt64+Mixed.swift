extension UInt64 {
  /// The odd number by which SplitMix64 advances its state.
  static let mixStep: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// The result of the last steps of SplitMix64, a public-domain generator of random numbers, for
  /// this state. Different states have different results.
  var mixed: UInt64 {
    var mixed = (self ^ (self >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
