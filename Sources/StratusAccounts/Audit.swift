import StratusDomain
import StratusWire
import Synchronization

/// Writes security events into the server's log: the operator's changes to accounts and rights,
/// sign-ins, and refused ones.
///
/// No line has a secret, or a text that an unknown person has typed.
public struct Audit: Sendable {
  /// The refusals of one minute.
  private final class Minute: Sendable {
    private let state = Mutex((number: Int64.min, count: 0))

    /// Counts a refusal.
    ///
    /// - Returns: its number in this minute, and the count of the minute before if this is a new
    ///   minute.
    func count(at now: Int64) -> (number: Int, earlier: Int?) {
      state.withLock { state in
        var earlier: Int?
        if state.number != now / 60_000 {
          earlier = state.count
          state = (now / 60_000, 0)
        }
        state.count += 1
        return (state.count, earlier)
      }
    }
  }

  /// Refusals that are written in one minute. Choice: enough to see an attack, too few to fill a
  /// disk.
  static let refusalsPerMinuteMax = 60

  private let write: @Sendable (String) -> Void
  private let minute = Minute()

  /// - Parameter write: receives one line for each event.
  public init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

  /// Writes that something has happened.
  func note(_ event: String) {
    write(
      String(
        String.UnicodeScalarView(
          event.unicodeScalars.map {
            $0.properties.generalCategory == .control ? "\u{FFFD}" : $0
          })))
  }

  /// Writes a change that the operator made.
  func noteOperator(_ action: String) { note("the operator \(action)") }

  /// Writes a refusal. Every caller can cause these lines, so their number is limited.
  func noteRefusal(_ event: @autoclosure () -> String, at now: Int64) {
    let (number, earlier) = minute.count(at: now)
    if let earlier, earlier > Self.refusalsPerMinuteMax {
      note("\(earlier - Self.refusalsPerMinuteMax) more refusals were not logged")
    }
    if number <= Self.refusalsPerMinuteMax { note(event()) }
  }
}

extension StoreAddress {
  /// The store in a line of the log.
  var inLog: String { "'\(container)' (\(environment.rawValue))" }
}
