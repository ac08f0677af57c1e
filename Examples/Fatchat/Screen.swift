import Foundation

/// The full-screen view. It shows the channel and its members at the top, then the messages, and
/// the line that the user writes.
actor Screen: View {
  /// The maximum number of entries to which the user can scroll back.
  private static let entriesMax = 2_000

  nonisolated let lines: AsyncStream<String>
  private let entered: AsyncStream<String>.Continuation
  private let ending: AsyncStream<Void>.Continuation
  private let terminal: Terminal

  private var input = InputLine()
  private var channel: Channel?
  private var people: [String] = []
  private var missed: [Channel: Int] = [:]
  private var entries: [Entry] = []
  /// The number of rows that are hidden below the screen. If it is 0, the newest entries are
  /// visible.
  private var scrolledRows = 0
  private var isOpen = true

  /// - Parameter ending: is signalled when the user wants to leave.
  init(_ terminal: Terminal, ending: AsyncStream<Void>.Continuation) async {
    self.terminal = terminal
    self.ending = ending
    (lines, entered) = AsyncStream.makeStream()
    let (resizes, resize) = AsyncStream.makeStream(of: Void.self)
    await resize.follow(SIGWINCH)
    Task {
      for await key in terminal.keys { press(key) }
      entered.finish()
    }
    Task { for await _ in resizes { draw() } }
  }

  func close() {
    isOpen = false
    terminal.restore()
  }

  func show(_ news: News) {
    switch news {
    case .entered(let channel):
      (self.channel, people, entries, scrolledRows) = (channel, [], [], 0)
      missed[channel] = nil
    case .left:
      (channel, people) = (nil, [])
    case .people(let people, _): self.people = people
    case .elsewhere(let channel, _, let count): missed[channel] = count
    case .message, .notice: break
    }
    entries += Entry.entries(of: news)
    entries.removeFirst(max(0, entries.count - Self.entriesMax))
    draw()
  }

  private func press(_ key: Key) {
    let page = max(1, terminal.size.rows - 3)
    switch key {
    case .quit: ending.yield()
    case .pageUp: scrolledRows += page
    case .pageDown: scrolledRows = max(0, scrolledRows - page)
    case .text, .enter, .backspace, .delete, .deleteWord, .clear, .left, .right, .home, .end, .up,
      .down:
      if let line = input.press(key) {
        scrolledRows = 0
        entered.yield(line)
      }
    }
    draw()
  }

  /// Writes the whole screen at once.
  private func draw() {
    guard isOpen else { return }
    let (columns, rows) = terminal.size
    let body = max(0, rows - 2)
    let all = entries.flatMap { $0.rows(columns: columns) }
    scrolledRows = min(scrolledRows, max(0, all.count - body))
    let seen = all.dropLast(scrolledRows).suffix(body)
    let blank = Array(repeating: "", count: body - seen.count)
    let prompt = scrolledRows > 0 ? "↓ " : "> "
    let room = max(0, columns - 3)
    let before = input.before.suffix(columns: room)
    let after = input.after.prefix(columns: room - before.columns)
    var frame = [header(columns: columns)]
    frame += blank
    frame += seen
    frame.append(Style.bold(prompt) + before + after)
    // The cursor is hidden while it moves, and the rows are cleared one by one, so that nothing
    // flickers.
    terminal.write(
      "\u{1B}[?25l\u{1B}[H" + frame.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
        + "\u{1B}[\(rows);\(min(columns, before.columns + 3))H\u{1B}[?25h")
  }

  private func header(columns: Int) -> String {
    let left = " \(channel?.title ?? "nowhere")   \(people.joined(separator: ", "))"
    let right = missed.sorted { $0.key.name < $1.key.name }
      .map { "\($0.key.title) \($0.value) " }.joined()
      .prefix(columns: columns / 2)
    let shown = left.prefix(columns: max(0, columns - right.columns - 1))
    let gap = String(repeating: " ", count: max(0, columns - shown.columns - right.columns))
    return Style.inverse(shown + gap + right)
  }
}

/// A message, or a remark of the program, in the part of the screen that scrolls.
struct Entry: Sendable {
  /// The author, or nil if the entry is a remark.
  let author: String?
  let text: String
  /// The time of the message as hours and minutes. It is empty if no time is known.
  let time: String

  static func entries(of news: News) -> [Entry] {
    switch news {
    case .message(let message, let number):
      let text = message.line(fileNumber: number)
      return [Entry(author: message.author, text: text, time: message.date.map(time) ?? "")]
    case .entered, .elsewhere: return []
    case .people(_, let changes): return changes.map { remark($0) }
    case .left(let channel): return [remark("you have left \(channel.title)")]
    case .notice(let text):
      return text.split(separator: "\n").map { remark(String($0)) }
    }
  }

  private static func remark(_ text: String) -> Entry { Entry(author: nil, text: text, time: "") }

  private static func time(_ date: Date) -> String {
    let parts = Calendar.current.dateComponents([.hour, .minute], from: date)
    return String(format: "%02d:%02d", parts.hour ?? 0, parts.minute ?? 0)
  }

  func rows(columns: Int) -> [String] {
    let indent = 6
    let lines = (author.map { "\($0)  \(text)" } ?? text)
      .wrapped(columns: max(1, columns - indent))
    return lines.enumerated().map { index, line in
      guard let author else { return String(repeating: " ", count: indent) + Style.dim(line) }
      let margin = index == 0 ? time.prefix(columns: indent - 1) : ""
      let space = String(repeating: " ", count: indent - margin.columns)
      guard index == 0, line.hasPrefix(author) else { return space + line }
      let said = line.dropFirst(author.count)
      return Style.dim(margin) + space + Style.coloured(author) + said
    }
  }
}

/// A style of the terminal's text.
enum Style {
  static func bold(_ text: some StringProtocol) -> String { "\u{1B}[1m\(text)\u{1B}[0m" }
  static func dim(_ text: some StringProtocol) -> String { "\u{1B}[2m\(text)\u{1B}[0m" }
  static func inverse(_ text: some StringProtocol) -> String { "\u{1B}[7m\(text)\u{1B}[0m" }

  /// Returns the name in a colour that is always the same for this name.
  static func coloured(_ name: String) -> String {
    let sum = name.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
    return "\u{1B}[1;\(31 + sum % 6)m\(name)\u{1B}[0m"
  }
}
