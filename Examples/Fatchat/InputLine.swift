/// The line that the user writes, the lines that were sent before, and the cursor's position.
struct InputLine {
  private(set) var before = ""
  private(set) var after = ""
  private var sent: [String] = []
  /// The index of the shown line in the list of sent lines. If it is the number of sent
  /// lines, the new line is shown.
  private var shownIndex = 0

  var text: String { before + after }

  /// Handles a key that changes the line.
  ///
  /// - Returns: the line if the key sends it, otherwise nil.
  mutating func press(_ key: Key) -> String? {
    switch key {
    case .text(let text): before += text
    case .backspace: _ = before.popLast()
    case .delete: if !after.isEmpty { after.removeFirst() }
    case .clear: before = ""
    case .deleteWord:
      while before.last == " " { before.removeLast() }
      while let last = before.last, last != " " { before.removeLast() }
    case .left: if let last = before.popLast() { after = "\(last)\(after)" }
    case .right: if !after.isEmpty { before.append(after.removeFirst()) }
    case .home: (before, after) = ("", text)
    case .end: (before, after) = (text, "")
    case .up: recall(shownIndex - 1)
    case .down: recall(shownIndex + 1)
    case .enter: return enter()
    case .quit, .pageUp, .pageDown: break
    }
    return nil
  }

  private mutating func enter() -> String? {
    let line = text
    (before, after) = ("", "")
    guard line.contains(where: { $0 != " " }) else { return nil }
    sent.append(line)
    shownIndex = sent.count
    return line
  }

  private mutating func recall(_ index: Int) {
    guard (0...sent.count).contains(index), index != shownIndex else { return }
    shownIndex = index
    (before, after) = (index < sent.count ? sent[index] : "", "")
  }
}
