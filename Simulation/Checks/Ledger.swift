import StratusTesting

/// What was promised: the marks that must still be there in the end, and what went wrong.
///
/// A mark is promised once a device has it on its disk with the intent to send it, or the server
/// has taken it.
///
/// NB: unchecked; the loop has one thread.
final class Ledger: @unchecked Sendable {
  private var lastMark: Int64 = 0
  private(set) var promised: [Place: Set<Int64>] = [:]
  /// The first thing that broke a rule.
  private(set) var violation: String?
  private(set) var trace: Trace
  /// What the seed came across, to see that a run of many tests something.
  private(set) var sightings: [String: Int] = [:]

  init(trace: Trace) { self.trace = trace }

  /// A mark nobody wrote before.
  func newMark() -> Int64 {
    lastMark += 1
    return lastMark
  }

  func promise(_ marks: Set<Int64>, at place: Place) {
    promised[place, default: []].formUnion(marks)
  }

  /// Notes that a rule is broken.
  func violated(_ what: @autoclosure () -> String) {
    if violation != nil { return }
    let text = what()
    violation = text
    trace.say("VIOLATION: \(text)")
  }

  func saw(_ what: String) { sightings[what, default: 0] += 1 }

  func say(_ line: @autoclosure () -> String) { trace.say(line()) }

  /// What was promised and is not there.
  func loss(in contents: Contents) -> String? {
    for (place, marks) in promised.sorted(by: { $0.key < $1.key }) where place.isKept {
      let missing = marks.subtracting(contents.records[place] ?? [])
      if !missing.isEmpty { return "\(place) lost the marks \(missing.sorted())" }
    }
    return nil
  }
}

/// The last things that happened, if somebody wants to read them.
struct Trace {
  private(set) var lines: [String] = []
  let isWanted: Bool
  private var lastSaid = ""
  private var repetitions = 0

  init(isWanted: Bool) { self.isWanted = isWanted }

  mutating func say(_ line: @autoclosure () -> String) {
    guard isWanted else { return }
    let said = line()
    repetitions = said == lastSaid ? repetitions + 1 : 0
    lastSaid = said
    if repetitions > 2 { return }
    let time = Loop.shared.now
    let seconds = "\(Int(time)).\(String(Int(time * 1_000) % 1_000 + 1_000).dropFirst())"
    lines.append(String(repeating: " ", count: max(0, 8 - seconds.count)) + seconds + "  " + said)
  }
}
