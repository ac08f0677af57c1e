import Foundation

/// Reads and prints lines, for scripts and pipes. A printed line that is not a message begins with
/// an asterisk.
struct LineView: View {
  let lines: AsyncStream<String>

  init() {
    let (lines, entered) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
    Thread.detachNewThread {
      while let line = readLine() { entered.yield(line) }
      entered.finish()
    }
  }

  func show(_ news: News) {
    for line in Self.text(news) {
      // NB: `print` would buffer the output if it goes to a pipe.
      try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }
  }

  func close() {}

  /// Describes an event in lines of text.
  static func text(_ news: News) -> [String] {
    switch news {
    case .entered(let channel): ["* you are in \(channel.title)"]
    case .left(let channel): ["* you have left \(channel.title)"]
    case .message(let message, let number):
      ["\(message.author): \(message.line(fileNumber: number))"]
    case .people(let names, let changes):
      changes.isEmpty ? ["* here: \(names.joined(separator: ", "))"] : changes.map { "* \($0)" }
    case .elsewhere(let channel, let preview, _): ["* \(channel.title) \(preview)"]
    case .notice(let text):
      text.split(separator: "\n", omittingEmptySubsequences: false).map { "* \($0)" }
    }
  }
}
