import StratusDomain
import StratusServer
import StratusTesting
import Synchronization

/// A clock that moves only by ``moveClock(bySeconds:)``, and random numbers that are derived from a
/// seed. Each person has a random source of its own, so that the requests of one person do not
/// change the random numbers of another.
final class PersonalChance: Sendable {
  /// The person who sends the current request.
  @TaskLocal static var person = "server"

  private let seed: UInt64
  private let sources = Mutex<[String: SeededChance]>([:])
  private let clock = MovedClock()

  init(seed: UInt64) { self.seed = seed }

  var now: Int64 { clock.now }

  func moveClock(bySeconds seconds: Int64) { clock.move(bySeconds: seconds) }

  var live: Live {
    Live(
      ambient: Ambient(now: { self.clock.now }, makeUUID: { self.makeUUID() }),
      randomness: { self.bytes($0) })
  }

  private func bytes(_ count: Int) -> [UInt8] {
    let person = Self.person
    let first = person.utf8.reduce(seed) { $0 &* 31 &+ UInt64($1) }
    return sources.withLock { sources in
      var source = sources[person] ?? SeededChance(seed: first)
      defer { sources[person] = source }
      return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &source) }
    }
  }

  private func makeUUID() -> String {
    let digits = bytes(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
    let parts = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }
    return parts.joined(separator: "-")
  }
}
