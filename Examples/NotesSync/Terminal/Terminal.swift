import Foundation

/// A key that the user has pressed.
enum Key: Sendable, Equatable {
  case character(Character)
  case up, down, enter, backspace, escape, interrupt
}

/// The terminal, which shows a full screen from ``open()`` to ``close()``.
final class Terminal {
  private var before = termios()
  private var signals: [any DispatchSourceSignal] = []

  /// Switches to the full screen, and begins to read every key at once.
  ///
  /// - Returns: the pressed keys. A signal that ends the program is delivered as an interrupt, so
  ///   that the program restores the terminal.
  func open() -> AsyncStream<Key> {
    tcgetattr(STDIN_FILENO, &before)
    var raw = before
    cfmakeraw(&raw)
    tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    // These codes switch to the alternate screen, hide the cursor, and cut off rows that are too
    // long.
    write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")

    let (keys, continuation) = AsyncStream.makeStream(of: Key.self)
    signals = [SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield(.interrupt) }
      source.resume()
      return source
    }
    Thread.detachNewThread {
      var bytes = [UInt8](repeating: 0, count: 256)
      while true {
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count <= 0 { break }
        for key in Self.keys(in: bytes.prefix(count)) { continuation.yield(key) }
      }
      continuation.yield(.interrupt)
    }
    return keys
  }

  func close() {
    write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    tcsetattr(STDIN_FILENO, TCSANOW, &before)
  }

  /// Shows lines from the top of the screen, in place of the previous lines.
  func show(_ lines: [String]) {
    let rows = lines.enumerated().map { "\u{1B}[\($0 + 1);1H\u{1B}[K" + $1 }
    write(rows.joined() + "\u{1B}[J")
  }

  /// The size of the terminal in characters, or 80 by 24 if it is unknown.
  var size: (width: Int, height: Int) {
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
    guard isKnown, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// NB: writing to a closed terminal fails. The error is ignored, so that the program does not end
  /// early.
  private func write(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  }

  /// Converts bytes from a terminal to keys.
  static func keys(in bytes: ArraySlice<UInt8>) -> [Key] {
    switch Array(bytes) {
    case [0x1B, 0x5B, 0x41], [0x1B, 0x4F, 0x41]: return [.up]
    case [0x1B, 0x5B, 0x42], [0x1B, 0x4F, 0x42]: return [.down]
    case let bytes where bytes.first == 0x1B: return bytes.count == 1 ? [.escape] : []
    default: break
    }
    return String(decoding: bytes, as: UTF8.self).compactMap { character in
      switch character {
      case "\r", "\n": .enter
      case "\u{7F}", "\u{8}": .backspace
      case "\u{3}": .interrupt
      default: (character.unicodeScalars.first?.value ?? 0) < 0x20 ? nil : .character(character)
      }
    }
  }
}
