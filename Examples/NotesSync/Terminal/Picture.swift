import Foundation
import NotesSync

/// The contents of the screen.
struct Picture {
  /// A question to the user in the last line of the screen.
  enum Question: Equatable {
    case name
    case text(of: String)
    case deletion

    var words: String {
      switch self {
      case .name: "Name: "
      case .text(let name): "\(Text.inOneLine(name)) (a backslash and n begin a line): "
      case .deletion: "Deletes the backup and the notes here. Type 'everything': "
      }
    }
  }

  static let keys =
    "n new  e edit  d remove  l look  o on/off  X delete everything  r rule  q quit"

  let folderName: String
  var overview: Overview?
  var chosenName: String?
  var hint: String?
  var showsRule = false
  private(set) var question: Question?
  private var typed = ""

  init(folderName: String) { self.folderName = folderName }

  var chosen: Overview.Line? {
    overview?.notes.first { $0.name == chosenName } ?? overview?.notes.first
  }

  mutating func move(by step: Int) {
    guard let notes = overview?.notes, let chosen else { return }
    let index = (notes.firstIndex(of: chosen) ?? 0) + step
    if notes.indices.contains(index) { chosenName = notes[index].name }
  }

  mutating func ask(_ question: Question, _ text: String = "") {
    self.question = question
    typed = text.replacing("\n", with: Text.newLine)
  }

  /// Handles a key while a question is open.
  ///
  /// - Returns: the answer if it is complete, otherwise nil.
  mutating func type(_ key: Key) -> String? {
    switch key {
    case .character(let character): typed.append(character)
    case .backspace: _ = typed.popLast()
    case .escape: question = nil
    case .enter:
      question = nil
      return typed
    case .up, .down, .interrupt: break
    }
    return nil
  }

  func lines(width: Int, height: Int) -> [String] {
    let rows = max(1, height - 5)
    let middle = showsRule ? rule(width) : notes(width, rows)
    let padding = Array(repeating: "", count: max(0, rows - middle.count))
    return [title(width), ""] + middle.prefix(rows) + padding + ["", saying(width), foot(width)]
  }

  private func title(_ width: Int) -> String {
    var state = overview?.summary ?? "starting"
    if overview?.activity == .resting, overview?.hearsPushes == false {
      state += ", without pushes"
    }
    if overview?.activity != .off, let date = overview?.lastLook {
      state += ", in step at " + date.formatted(date: .omitted, time: .standard)
    }
    return "\u{1B}[7m" + Text.fit(" NotesSync  \(folderName): \(state)", width) + "\u{1B}[0m"
  }

  private func notes(_ width: Int, _ rows: Int) -> [String] {
    let notes = overview?.notes ?? []
    if notes.isEmpty { return ["   no notes yet: n writes one"] }
    let index = chosen.flatMap { notes.firstIndex(of: $0) } ?? 0
    return notes.dropFirst(max(0, index - rows + 1)).prefix(rows).map { note in
      let name = Text.fit(note.name, min(20, width / 3))
      let text = Text.fit(note.text, max(0, width - min(20, width / 3) - 7))
      let line = " \(Self.mark(note.status))  \(name)  \(text)"
      return note == chosen ? "\u{1B}[1m" + line + "\u{1B}[0m" : line
    }
  }

  private static func mark(_ status: Overview.Status) -> String {
    switch status {
    case .backedUp: "✓"
    case .unsent: "↑"
    case .refused: "✗"
    }
  }

  private func rule(_ width: Int) -> [String] {
    MergeRule.words.split(separator: "\n").flatMap { sentence in
      Text.wrapped(String(sentence), width - 6).map { "   " + $0 }
    }
  }

  /// Returns the row with a message for the user. The row is blank if there is no message.
  private func saying(_ width: Int) -> String {
    var words = hint ?? overview?.message ?? overview?.notice
    if words == nil, case .refused(let reason)? = chosen?.status { words = reason }
    if words == nil, let misfit = overview?.misfits.first {
      words = "\(misfit).txt is not backed up: no text, or no name for a note."
    }
    return Text.fit(words.map { " \($0)" } ?? "", width)
  }

  private func foot(_ width: Int) -> String {
    guard let question else { return Text.fit(" " + Self.keys, width) }
    // If the typed text is too long for the row, its end is shown.
    let line = " " + question.words + Text.inOneLine(typed) + "_"
    return String(line.suffix(width))
  }
}
