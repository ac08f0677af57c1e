import Foundation
import NotesSync

/// Shows the notes and the state of the backup, and updates them with each change.
struct LiveScreen {
  private enum Event: Sendable {
    case pressed(Key)
    case changed(Overview)
    /// A second has passed.
    case tick
  }

  let backup: Backup
  private var picture: Picture
  private let terminal = Terminal()

  /// - Parameter folderName: the name of the folder, which the title shows.
  init(backup: Backup, folderName: String) {
    self.backup = backup
    picture = Picture(folderName: folderName)
  }

  mutating func run() async {
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let keys = terminal.open()
    defer { terminal.close() }
    await backup.start()
    let sources = [
      Task { for await key in keys { continuation.yield(.pressed(key)) } },
      Task { [overviews = backup.overviews] in
        for await overview in overviews { continuation.yield(.changed(overview)) }
      },
      Task {
        while (try? await Task.sleep(for: .seconds(1))) != nil { continuation.yield(.tick) }
      },
    ]
    defer { for source in sources { source.cancel() } }
    draw()
    for await event in events {
      switch event {
      case .changed(let overview): picture.overview = overview
      case .tick: await backup.lookAtFolder()
      case .pressed(let key):
        do {
          // The program need not wait for work in progress, because the next start continues it.
          if try await !press(key) { return }
        } catch {
          picture.hint = "\(error)"
        }
      }
      draw()
    }
  }

  private func draw() {
    let (width, height) = terminal.size
    terminal.show(picture.lines(width: width, height: height))
  }

  /// Handles a key.
  ///
  /// - Returns: whether the program continues.
  private mutating func press(_ key: Key) async throws -> Bool {
    picture.hint = nil
    if key == .interrupt { return false }
    if picture.showsRule {
      picture.showsRule = false
      return true
    }
    if let question = picture.question {
      if let answer = picture.type(key) { try await take(answer, to: question) }
      return true
    }
    switch key {
    case .up: picture.move(by: -1)
    case .down: picture.move(by: 1)
    case .enter, .character("e"):
      guard let note = picture.chosen else { break }
      picture.ask(.text(of: note.name), note.text)
    case .character("n"): picture.ask(.name)
    case .character("d"):
      if let note = picture.chosen { try await backup.remove(note.name) }
    case .character("l"): await backup.look()
    case .character("o"):
      let isOff = picture.overview?.activity == .off
      try await isOff ? backup.switchOn() : backup.switchOff()
    case .character("X"): picture.ask(.deletion)
    case .character("r"): picture.showsRule = true
    case .character("q"): return false
    case .character, .backspace, .escape, .interrupt: break
    }
    return true
  }

  private mutating func take(_ answer: String, to question: Picture.Question) async throws {
    switch question {
    case .name:
      guard Note.isName(answer) else {
        picture.hint = "A note cannot be called that."
        return
      }
      picture.ask(.text(of: answer))
    case .text(let name):
      try await backup.write(Text.entered(answer), as: name)
      picture.chosenName = name
    case .deletion:
      guard answer == "everything" else { return }
      try await backup.deleteEverything()
    }
  }
}
