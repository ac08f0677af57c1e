import Synchronization

/// A line of a terminal that shows how much of a long task is done, and how much time is left.
///
/// The line is drawn only on a terminal, and only after half a second, so that short work leaves no
/// trace. ``end()`` removes the line.
public final class ProgressLine: Sendable {
  /// The unit in which work is counted.
  public enum Unit: Sendable, Equatable {
    case bytes
    /// The number of objects of a kind, such as `records`.
    case count(String)
    /// Work whose duration is known in advance. Its amount is a number of milliseconds.
    case seconds
  }

  private static let quietMilliseconds: Int64 = 500
  private static let drawMilliseconds: Int64 = 100

  private struct Contents {
    var title = ""
    var done: Int64 = 0
    var total: Int64?
    var unit = Unit.count("")
    var begin: Int64?
    var drawn: Int64?
  }

  private let terminal: ProgressTerminal?
  private let now: @Sendable () -> Int64
  private let contents = Mutex(Contents())

  /// - Parameters:
  ///   - terminal: the terminal on which the line is drawn, or nil to draw nothing.
  ///   - now: returns a time in milliseconds.
  public init(
    on terminal: ProgressTerminal? = .standardError, now: @escaping @Sendable () -> Int64
  ) {
    self.terminal = terminal
    self.now = now
  }

  /// Whether there is a terminal. If there is none, callers may skip counting their work.
  public var isShown: Bool { terminal != nil }

  /// Begins a new piece of work. The time left is estimated from the speed of this piece alone.
  ///
  /// - Parameter total: the amount of work. If it is nil, the line shows the elapsed time.
  public func begin(_ title: String, total: Int64?, unit: Unit) {
    let time = now()
    update { contents in
      contents.title = title
      contents.done = 0
      contents.total = total
      contents.unit = unit
      contents.begin = time
    }
  }

  /// Changes the title of the current work.
  public func rename(_ title: String) { update { $0.title = title } }

  /// Sets how much of the current work is done.
  ///
  /// - Parameter total: a better estimate of the amount of work, or nil if it has not changed.
  public func advance(to done: Int64, of total: Int64? = nil) {
    update { contents in
      contents.done = done
      if let total { contents.total = total }
    }
  }

  /// Adds to the amount of work that is done.
  public func advance(by amount: Int64) { update { $0.done += amount } }

  /// Writes a line above the progress line. If there is no terminal, passes the line to `write`.
  public func note(_ line: String, orWithoutTerminal write: (String) -> Void) {
    guard let terminal else { return write(line) }
    contents.withLock { contents in
      terminal.write((contents.drawn == nil ? "" : Self.erase) + line + "\n")
      contents.drawn = nil
    }
  }

  /// Ends the current work and removes the line.
  public func end() {
    contents.withLock { contents in
      if contents.drawn != nil { terminal?.write(Self.erase) }
      contents = Contents()
    }
  }

  private static let erase = "\r\u{1B}[K"

  private func update(_ change: (inout Contents) -> Void) {
    guard let terminal else { return }
    let time = now()
    contents.withLock { contents in
      change(&contents)
      guard let begin = contents.begin, time - begin >= Self.quietMilliseconds else { return }
      if let drawn = contents.drawn, (0..<Self.drawMilliseconds).contains(time - drawn) { return }
      contents.drawn = time
      let text = ProgressText(
        title: contents.title, done: contents.done, total: contents.total, unit: contents.unit,
        elapsedMilliseconds: time - begin
      ).line(columns: max(1, terminal.columns() - 1))
      terminal.write("\r" + text + "\u{1B}[K")
    }
  }
}
