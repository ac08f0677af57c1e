import Synchronization
import Testing

@testable import StratusProgress

@Suite struct `A progress line` {
  @Test func `a progress line shows the percentage, the amounts and the remaining time`() {
    let screen = Screen()
    let line = ProgressLine(on: screen.terminal, now: screen.now)
    line.begin("copying", total: 4_000_000, unit: .bytes)
    screen.wait(10_000)
    line.advance(to: 1_000_000)
    #expect(
      screen.text == "\rcopying  [#####...............]  25 %  1.0 MB of 4.0 MB  30 s left\u{1B}[K")
  }

  @Test func `a progress line draws nothing for work that is done within half a second`() {
    let screen = Screen()
    let line = ProgressLine(on: screen.terminal, now: screen.now)
    line.begin("copying", total: 10, unit: .count("files"))
    screen.wait(499)
    line.advance(to: 10)
    line.end()
    #expect(screen.text == "")
  }

  @Test func `a progress line is drawn at most ten times a second`() {
    let screen = Screen()
    let line = ProgressLine(on: screen.terminal, now: screen.now)
    line.begin("copying", total: 10_000, unit: .count("files"))
    for _ in 0..<2_000 {
      screen.wait(1)
      line.advance(by: 1)
    }
    #expect((10...16).contains(screen.text.count { $0 == "\r" }))
  }

  @Test func `a progress line is removed when the work ends`() {
    let screen = Screen()
    let line = ProgressLine(on: screen.terminal, now: screen.now)
    line.begin("copying", total: 10, unit: .count("files"))
    screen.wait(1_000)
    line.advance(to: 5)
    line.end()
    #expect(screen.text.hasSuffix("\r\u{1B}[K"))
    line.advance(to: 6)
    #expect(screen.text.hasSuffix("\r\u{1B}[K"))
  }

  @Test func `a progress line stays below the notes`() {
    let screen = Screen()
    let line = ProgressLine(on: screen.terminal, now: screen.now)
    line.begin("measuring", total: 10, unit: .count("jobs"))
    screen.wait(1_000)
    line.advance(to: 5)
    screen.clear()
    line.note("a job is done") { _ in Issue.record("there is a terminal") }
    #expect(screen.text == "\r\u{1B}[Ka job is done\n")
    line.advance(to: 6)
    #expect(screen.text.hasPrefix("\r\u{1B}[Ka job is done\n\rmeasuring  ["))
  }

  @Test func `a progress line without a terminal draws nothing and passes notes on`() {
    let line = ProgressLine(on: nil, now: { 0 })
    line.begin("copying", total: 10, unit: .count("files"))
    line.advance(to: 5)
    var notes: [String] = []
    line.note("a job is done") { notes.append($0) }
    #expect(notes == ["a job is done"])
    #expect(!line.isShown)
  }
}

@Suite struct `The text of a progress line` {
  @Test(arguments: [
    (80, "copying  [##########..........]  50 %  5 files of 10 files  1 min 05 s left"),
    (60, "copying  50 %  5 files of 10 files  1 min 05 s left"),
    (40, "copying  50 %  1 min 05 s left"),
    (24, "c  50 %  1 min 05 s left"),
    (10, "  50 %  1 "),
  ]) func `the text of a progress line fits a narrow terminal`(_ columns: Int, _ expected: String) {
    let text = ProgressText(
      title: "copying", done: 5, total: 10, unit: .count("files"), elapsedMilliseconds: 65_000)
    #expect(text.line(columns: columns) == expected)
  }

  @Test func `a progress line for work of unknown length shows the elapsed time`() {
    let text = ProgressText(
      title: "waiting for an index", done: 0, total: nil, unit: .seconds,
      elapsedMilliseconds: 12_300)
    #expect(text.line(columns: 80) == "waiting for an index  12 s")
  }

  @Test func `a progress line for work of known duration shows the remaining time`() {
    let text = ProgressText(
      title: "soaking", done: 60_000, total: 600_000, unit: .seconds, elapsedMilliseconds: 60_000)
    #expect(text.line(columns: 80) == "soaking  [##..................]  10 %  9 min 00 s left")
  }

  @Test(
    arguments: [
      (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (9_949, "9.9 kB"), (9_960, "10 kB"),
      (999_499, "999 kB"), (999_500, "1.0 MB"), (2_800_000_000, "2.8 GB"),
      (5_000_000_000_000, "5.0 TB"),
    ] as [(Int64, String)])
  func `a progress line shortens numbers of bytes`(_ number: Int64, _ expected: String) {
    #expect(ProgressText.bytes(number) == expected)
  }

  @Test(
    arguments: [
      (0, "0 s"), (59_400, "59 s"), (59_500, "1 min 00 s"), (3_599_400, "59 min 59 s"),
      (3_900_000, "1 h 05 min"),
    ] as [(Int64, String)])
  func `a progress line shortens durations`(_ milliseconds: Int64, _ expected: String) {
    #expect(ProgressText.time(milliseconds) == expected)
  }

  @Test(arguments: [(0, 10, 5_000), (5, 10, 900), (11, 10, 5_000)] as [(Int64, Int64, Int64)])
  func `a progress line estimates no remaining time from too little work`(
    _ done: Int64, _ total: Int64, _ elapsed: Int64
  ) {
    let text = ProgressText(
      title: "", done: done, total: total, unit: .bytes, elapsedMilliseconds: elapsed)
    #expect(text.millisecondsLeft == nil)
  }
}

/// A terminal of 80 columns in memory, and a clock that only the test moves.
private final class Screen: Sendable {
  private let contents = Mutex((text: "", time: Int64(1_000_000)))

  var text: String { contents.withLock(\.text) }
  var terminal: ProgressTerminal {
    ProgressTerminal(
      columns: { 80 }, write: { text in self.contents.withLock { $0.text += text } })
  }
  var now: @Sendable () -> Int64 { { self.contents.withLock(\.time) } }

  func wait(_ milliseconds: Int64) { contents.withLock { $0.time += milliseconds } }
  func clear() { contents.withLock { $0.text = "" } }
}
