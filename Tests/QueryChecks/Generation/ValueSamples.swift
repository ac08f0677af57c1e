import StratusWire

/// The values of fields. There are few of them, so that filters match often. The values include the
/// limits of every type.
enum ValueSamples {
  static let texts: [String] =
    [
      "", "a", "A", "b", "ab", "abc", "abd", "aB", "ac", "\u{0}", "a\u{0}", "a\u{0}b", "a\u{1}",
      "z",
      "\u{e9}", "e\u{301}", "e", "\u{e9}a", "e\u{301}a", "\u{1F600}", "\u{1F600}a", "\u{FFFF}",
      "\u{10FFFF}", "\u{D7FF}", "\u{E000}", "\u{7F}", "\u{80}", " a", "a ", "10", "9", "%", "_",
      "a%",
      "\"", "\\", "\n",
    ] + longTexts + sentences

  /// Texts with the same long prefix. An index stores only the beginning of such texts.
  static let longTexts: [String] = [
    String(repeating: "x", count: 400), String(repeating: "x", count: 401),
    String(repeating: "x", count: 700), String(repeating: "x", count: 700) + "a",
    String(repeating: "x", count: 700) + "b", String(repeating: "\u{e9}", count: 300),
    String(repeating: "\u{e9}", count: 300) + "z", String(repeating: "word ", count: 150),
  ]

  static let sentences: [String] = [
    "the quick brown fox", "The Quick, brown Fox!", "quick quick fox", "a fox and the dog",
    "to be or not to be", "caf\u{e9} au lait", "CAFE\u{301} noir", "stra\u{df}e", "STRASSE",
    "don't stop", "well-known fox", "e-mail: fox@example.org", "3.14 fox 42", "fox\u{1F600}dog",
    "\u{FF26}ox", "\u{130}stanbul", "\u{FB01}x fox", "\u{4F60}\u{597D}", "under_score fox",
    "quickly", "fo", "foxes", "\u{3A3}\u{3AF}\u{3C3}\u{3C5}\u{3C6}\u{3BF}\u{3C2}",
  ]

  static let words: [String] = [
    "fox", "FOX", "quick", "brown", "dog", "the", "be", "cafe", "caf\u{e9}", "Cafe\u{301}",
    "strasse", "stra\u{df}e", "don't", "don", "t", "well", "known", "42", "3.14", "14", "fo",
    "quickly", "", " ", "the and", "fox the", "fox dog", "dog fox", "quick brown", "fox!", "lait,",
    "zebra", "word", "fix", "istanbul", "under_score", "\u{4F60}\u{597D}", "\u{4F60}", "example",
    "\u{3C3}\u{3B9}\u{3C3}\u{3C5}\u{3C6}\u{3BF}\u{3C3}",
  ]

  static let wholes: [Int64] = [
    0, 1, -1, 2, 3, 10, -10, 100, 255, 256, -256, 65_536, .min, .max, .min + 1, .max - 1,
    1 << 53, 1 << 53 + 1, -(1 << 53) - 1, 1 << 32, -(1 << 32), 1_600_000_000_000,
  ]

  static let fractions: [Double] = [
    0, -0.0, 1, -1, 0.5, -0.5, 2, 3.25, 10, -10, 0.1, 0.2, 1e308, -1e308,
    .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
    -.leastNonzeroMagnitude, .leastNormalMagnitude, 1e-300, 9_007_199_254_740_992,
    9.223372036854775e18, -9.223372036854775e18, 1.5e10,
  ]

  static let times: [Int64] = [
    0, 1, -1, 999, 1_000, -1_000, 1_600_000_000_000, 1_600_000_000_001, 1_600_000_000_500,
    -62_135_596_800_000, -86_400_000, 253_402_300_799_999, .min, .max,
  ]

  static let places: [Place] = [
    Place(latitude: 0, longitude: 0), Place(latitude: 0, longitude: -0.0),
    Place(latitude: 90, longitude: 0), Place(latitude: 90, longitude: 120),
    Place(latitude: 89.9999, longitude: -60), Place(latitude: -90, longitude: 5),
    Place(latitude: -89.99, longitude: 170), Place(latitude: 0, longitude: 180),
    Place(latitude: 0, longitude: -180), Place(latitude: 0.001, longitude: 179.999),
    Place(latitude: -0.001, longitude: -179.999), Place(latitude: 60, longitude: 180),
    Place(latitude: 60, longitude: -179.98), Place(latitude: 37.3318, longitude: -122.0312),
    Place(latitude: 37.3319, longitude: -122.0312), Place(latitude: 37.34, longitude: -122.05),
    Place(latitude: 37.7749, longitude: -122.4194), Place(latitude: 51.5074, longitude: -0.1278),
    Place(latitude: 51.5074, longitude: 0.1278), Place(latitude: 48.8566, longitude: 2.3522),
    Place(latitude: -33.8688, longitude: 151.2093), Place(latitude: 45, longitude: 45),
    Place(latitude: 45.0000001, longitude: 45),
  ]

  /// Distances in metres.
  static let radii: [Double] = [
    0.5, 1, 11, 15, 100, 1_000, 2_300, 5_000, 10_000, 36_000, 60_000, 350_000, 1_000_000, 5_000_000,
    10_100_000, 20_000_000, 20_100_000, 1e9,
  ]

  static let targets: [String] = [
    "t0", "t1", "t2", "T0", "root0", "N0", "\u{e9}", "e\u{301}", "t",
    String(repeating: "t", count: 255),
  ]

  static let bytes: [[UInt8]] = [[], [0], [1, 2], [255]]
}
