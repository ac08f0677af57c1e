import Foundation

/// Starts the benchmark program several times, as child processes. Each child does a part
/// of a job.
struct Children {
  /// The paths of the benchmark program and of the server program.
  let program, server: String

  /// The line that a child prints when it has prepared its work and waits for the other children.
  private static let ready = "ready"

  /// Runs child processes at the same time, and waits until each has reported its result.
  ///
  /// - Returns: the result of each child.
  func runAtOnce(_ count: Int, _ arguments: [String]) throws -> [[String: Double]] {
    let children = try (0..<count).map { _ in
      try Child(program, arguments + ["--server", server])
    }
    for child in children where child.readLine() != Self.ready {
      throw Failure("a part of the job failed: \(arguments.joined(separator: " "))")
    }
    for child in children { child.goOn() }
    return try children.map { child in
      guard let line = child.readLine() else { throw Failure("a part of the job failed") }
      return try JSONDecoder().decode([String: Double].self, from: Data(line.utf8))
    }
  }

  /// Is called in a child process, and returns when the other children are also ready.
  static func meet() {
    say(ready)
    _ = Swift.readLine()
  }

  /// Reports the result of a child process.
  ///
  /// NB: this method returns after all children have reported, so that no child cleans up while
  /// another child still measures.
  static func report(_ figures: [String: Double]) {
    let figures = (try? JSONEncoder().encode(figures)) ?? Data()
    say(String(decoding: figures, as: UTF8.self))
    _ = Swift.readLine()
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}

/// A child process that reads and writes lines.
private final class Child {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  init(_ program: String, _ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    // NB: a child whose input is closed runs to its end, and stops its server.
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  func goOn() { input.fileHandleForWriting.write(Data("go on\n".utf8)) }

  /// Returns the next line, or nil if the child has ended.
  func readLine() -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread = Data(unread[unread.index(after: end)...]) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { return nil }
      unread += data
    }
  }
}
