/// The trace of a simulation. It is recorded only if the caller wants to read it.
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
