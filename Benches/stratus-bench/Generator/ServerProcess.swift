import Foundation

/// A server process that the benchmark starts and stops.
final class ServerProcess {
  let port: Int
  /// The environment variables in the `export` lines that the server printed.
  let settings: [String: String]
  private let process = Process()

  var processID: Int32 { process.processIdentifier }

  /// Starts a program and waits until it prints its address.
  ///
  /// - Parameter log: the file for the program's standard error.
  init(program: String, arguments: [String], log: String) throws {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    process.standardError = FileHandle(forWritingAtPath: log)
    try process.run()
    var text = ""
    var found: Int?
    while found == nil {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty {
        throw Failure("\(program) ended before it was ready; see \(log)")
      }
      text += String(decoding: data, as: UTF8.self)
      found = Self.port(in: text)
    }
    port = found ?? 0
    settings = Self.settings(in: text)
  }

  deinit { stop() }

  /// The number of bytes of memory that the process uses.
  var residentBytes: Int { memory("VmRSS:") }

  /// The number of bytes of memory that only this process uses. They contain its heap and stacks.
  var ownBytes: Int { memory("RssAnon:") }

  /// Reads an amount of memory from a line of the status of the process.
  private func memory(_ name: String) -> Int {
    let lines = TextFile.read("/proc/\(processID)/status")?.split(separator: "\n") ?? []
    let line = lines.first { $0.hasPrefix(name) }
    let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
    return (kilobytes.flatMap { Int($0) } ?? 0) * 1_024
  }

  /// The number of files and sockets that the process has open.
  var openFiles: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd"))?.count ?? 0
  }

  func stop() {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }

  private static func port(in text: String) -> Int? {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      guard line.contains("ready at"), let colon = line.lastIndex(of: ":") else { continue }
      return Int(line[line.index(after: colon)...])
    }
    return nil
  }

  private static func settings(in text: String) -> [String: String] {
    var result: [String: String] = [:]
    for line in text.split(separator: "\n") where line.hasPrefix("export ") {
      let pair = line.dropFirst(7).split(separator: "=", maxSplits: 1)
      if pair.count == 2 { result[String(pair[0])] = String(pair[1]) }
    }
    return result
  }
}
