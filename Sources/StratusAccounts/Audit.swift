import StratusDomain
import StratusWire
import Synchronization

/// Writes security events into the server's log: changes to accounts and rights, sign-ins, and
/// refused requests. A change is made by the operator, by a member of the team, or by the account's
/// user.
///
/// No line contains a secret, or a text that an unknown person has typed.
public struct Audit: Sendable {
  /// Counts the refusals of the present minute.
  private final class Minute: Sendable {
    private let state = Mutex((number: Int64.min, count: 0))

    /// Counts a refusal.
    ///
    /// - Returns: the refusal's number in this minute. If it is the first refusal of a minute,
    ///   also the number of refusals in the previous minute with refusals.
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

  /// The maximum number of refusals that are written to the log in one minute. Choice: enough to
  /// see an attack, too few to fill a disk.
  static let refusalsPerMinuteMax = 60

  private let write: @Sendable (String) -> Void
  private let minute = Minute()

  /// - Parameter write: receives one line for each event.
  public init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

  /// Writes an event.
  func note(_ event: String) {
    write(
      String(
        String.UnicodeScalarView(
          event.unicodeScalars.map {
            $0.properties.generalCategory == .control ? "\u{FFFD}" : $0
          })))
  }

  /// Writes a change by the actor of the present request.
  ///
  /// - Parameter action: a verb phrase, such as `created the container 'a'`.
  func noteChange(_ action: String) {
    switch AuditActor.current {
    case .operator: note("the operator \(action)")
    case .member(let email): note("the member '\(email)' of the team \(action)")
    case .user: note("the user \(action)")
    }
  }

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
  /// The store's name for a line of the log.
  var inLog: String { "'\(container)' (\(environment.rawValue))" }
}
