import Foundation
import NotesSync

/// Reads commands and prints events as lines, for scripts.
struct LineMode {
  static let help = """
    ? write NAME TEXT      write a note; a backslash and n begin a new line
    ? remove NAME          remove a note
    ? list                 list all notes
    ? look                 check for changes
    ? on, off              switch the backup on or off
    ? delete everything    delete the backup, and the notes on this device
    ? rule                 show what happens if two devices change the same note
    ? quit                 finish the work in progress, and end, as at the end of the input
    """

  let backup: Backup

  func run() async {
    await backup.start()
    let printing = Task { [overviews = backup.overviews] in
      var (printed, summary) = (Overview?.none, "")
      for await overview in overviews {
        Self.print(Self.news(in: overview, since: printed))
        printed = overview
        if overview.activity == .working || overview.summary == summary { continue }
        summary = overview.summary
        Self.print(["# \(summary)"])
      }
    }
    for await line in Self.lines() {
      do {
        if try await !obey(line.trimmingCharacters(in: .whitespaces)) { break }
      } catch {
        Self.print(["! \(error)"])
      }
    }
    await backup.lookAtFolder()
    await backup.settled()
    await backup.stop()
    await printing.value
  }

  /// Runs a command.
  ///
  /// - Returns: whether the program continues.
  private func obey(_ line: String) async throws -> Bool {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    switch (words.first, words.count) {
    case (nil, _): break
    case ("write", 3):
      try await backup.write(Text.entered(words[2]), as: words[1])
    case ("remove", 2): try await backup.remove(words[1])
    case ("list", 1): Self.print(await backup.overview.notes.map(Self.line))
    case ("look", 1):
      await backup.lookAtFolder()
      await backup.look()
    case ("on", 1): try await backup.switchOn()
    case ("off", 1): try await backup.switchOff()
    case ("delete", 2) where words[1] == "everything": try await backup.deleteEverything()
    case ("rule", 1): Self.print(MergeRule.words.split(separator: "\n").map { "? \($0)" })
    case ("quit", 1): return false
    default: Self.print([Self.help])
    }
    return true
  }

  /// Returns the differences between one overview and the next.
  static func news(in overview: Overview, since last: Overview?) -> [String] {
    var news: [String] = []
    let known = Dictionary(
      (last?.notes ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for note in overview.notes {
      let old = known[note.name]
      if old?.text != note.text { news.append(line(of: note)) }
      if case .refused(let reason) = note.status, old?.status != note.status {
        news.append("! \(Text.inOneLine(note.name)): \(reason)")
      }
    }
    let names = Set(overview.notes.map(\.name))
    for note in last?.notes ?? [] where !names.contains(note.name) {
      news.append("- \(Text.inOneLine(note.name))")
    }
    for name in overview.misfits where last?.misfits.contains(name) != true {
      news.append("! \(Text.inOneLine(name)): no text, or no name for a note")
    }
    if let notice = overview.notice, notice != last?.notice { news.append("! \(notice)") }
    if let message = overview.message, message != last?.message { news.append("! \(message)") }
    return news
  }

  private static func line(of note: Overview.Line) -> String {
    "+ \(Text.inOneLine(note.name)): \(Text.inOneLine(note.text))"
  }

  private static func print(_ lines: [String]) {
    if lines.isEmpty { return }
    let text = lines.map { $0 + "\n" }.joined()
    try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  }

  private static func lines() -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    return stream
  }
}
