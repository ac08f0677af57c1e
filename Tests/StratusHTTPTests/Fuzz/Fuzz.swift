import Foundation
import StratusTesting
import Testing

/// Damages samples at random, for tests of parsers.
///
/// `STRATUS_SEED` chooses the damage. `STRATUS_FUZZ_ROUNDS` is the number of damaged texts for each
/// parser.
struct Fuzz {
  static let seed =
    ProcessInfo.processInfo.environment["STRATUS_SEED"].flatMap(UInt64.init) ?? 1
  static let rounds =
    ProcessInfo.processInfo.environment["STRATUS_FUZZ_ROUNDS"].flatMap(Int.init) ?? 3_000

  private let samples: [[UInt8]]
  private let pieces: [[UInt8]]
  private var chance: SeededChance

  /// - Parameter pieces: the words and characters that are inserted more often than random bytes.
  init(_ samples: [[UInt8]], pieces: [[UInt8]]) {
    self.samples = samples
    self.pieces = pieces
    chance = SeededChance(seed: Self.seed)
  }

  /// Calls a check with each damaged sample. The comment says how to repeat a failure.
  static func run(
    _ samples: [String], pieces: [String],
    _ check: (_ bytes: [UInt8], _ comment: Comment) throws -> Void
  ) rethrows {
    try run(
      samples.map { Array($0.utf8) }, pieces: pieces.map { Array($0.utf8) }, check)
  }

  static func run(
    _ samples: [[UInt8]], pieces: [[UInt8]],
    _ check: (_ bytes: [UInt8], _ comment: Comment) throws -> Void
  ) rethrows {
    var fuzz = Fuzz(samples, pieces: pieces)
    for round in 0..<rounds {
      let bytes = fuzz.next()
      let text = String(decoding: bytes.prefix(400), as: UTF8.self)
      try check(bytes, "STRATUS_SEED=\(seed), round \(round): \(text.debugDescription)")
    }
  }

  private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &chance) }

  private mutating func next() -> [UInt8] {
    var bytes = samples[below(samples.count)]
    for _ in 0..<below(5) { damage(&bytes) }
    return bytes
  }

  private mutating func damage(_ bytes: inout [UInt8]) {
    let place = below(bytes.count + 1)
    let end = min(bytes.count, place + below(8))
    switch below(7) {
    case 0: bytes.insert(contentsOf: pieces[below(pieces.count)], at: place)
    case 1: bytes.removeSubrange(place..<end)
    case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
    case 3: bytes.replaceSubrange(place..<end, with: [UInt8(below(256))])
    case 4: bytes.removeSubrange(place...)
    case 5:
      let other = samples[below(samples.count)]
      bytes.replaceSubrange(place..., with: other.suffix(below(other.count + 1)))
    default: if place < end { bytes[place] ^= UInt8(1 << below(8)) }
    }
  }
}
