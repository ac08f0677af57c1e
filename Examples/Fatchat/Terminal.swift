import Foundation

/// A terminal that delivers each key when it is pressed.
final class Terminal: Sendable {
  /// The pressed keys. The stream ends when the terminal's input ends.
  let keys: AsyncStream<Key>
  private let settings: termios

  /// Returns nil if there is no terminal, or if the input or the output is redirected.
  init?() {
    var settings = termios()
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
      tcgetattr(STDIN_FILENO, &settings) == 0
    else { return nil }
    self.settings = settings
    cfmakeraw(&settings)
    guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) == 0 else { return nil }
    let (keys, pressed) = AsyncStream.makeStream(of: Key.self)
    self.keys = keys
    Thread.detachNewThread {
      var reader = KeyReader()
      var bytes = [UInt8](repeating: 0, count: 1_024)
      while true {
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        for byte in bytes[..<count] { if let key = reader.take(byte) { pressed.yield(key) } }
      }
      pressed.finish()
    }
    // The alternate screen is used, so that the old contents return at the end.
    write("\u{1B}[?1049h")
  }

  /// Restores the terminal.
  func restore() {
    write("\u{1B}[?1049l\u{1B}[?25h")
    var settings = settings
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
  }

  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Writes a text. Does nothing if the terminal is closed.
  func write(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  }
}

/// The meaning of a key.
enum Key: Sendable, Equatable {
  case text(String)
  case enter, quit
  case backspace, delete, deleteWord, clear
  case left, right, home, end
  case up, down, pageUp, pageDown
}

/// Converts bytes from a terminal to keys.
struct KeyReader {
  private var bytes: [UInt8] = []

  /// - Returns: the key that the byte completes, or nil if more bytes must follow or the key is
  ///   unknown.
  mutating func take(_ byte: UInt8) -> Key? {
    bytes.append(byte)
    if bytes[0] == 0x1B { return takeSequence(byte) }
    if byte < 0x20 || byte == 0x7F {
      bytes = []
      return Self.control(byte)
    }
    let length = min(max(1, (~bytes[0]).leadingZeroBitCount), 4)
    guard bytes.count >= length else { return nil }
    defer { bytes = [] }
    return String(validating: bytes, as: UTF8.self).map(Key.text)
  }

  private mutating func takeSequence(_ byte: UInt8) -> Key? {
    let isOpen = bytes.count == 1 || (bytes.count == 2 && (byte == 0x5B || byte == 0x4F))
    let isInside = bytes.count > 2 && !(0x40...0x7E).contains(byte)
    if isOpen || isInside { return nil }
    defer { bytes = [] }
    switch String(decoding: bytes.dropFirst(2), as: UTF8.self) {
    case "A": return .up
    case "B": return .down
    case "C": return .right
    case "D": return .left
    case "H", "1~": return .home
    case "F", "4~": return .end
    case "3~": return .delete
    case "5~": return .pageUp
    case "6~": return .pageDown
    default: return nil
    }
  }

  private static func control(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x01: .home
    case 0x03, 0x04: .quit
    case 0x05: .end
    case 0x08, 0x7F: .backspace
    case 0x0A, 0x0D: .enter
    case 0x15: .clear
    case 0x17: .deleteWord
    default: nil
    }
  }
}
