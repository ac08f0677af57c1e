import Foundation
import StratusTransport
import StratusWire

/// A running `stratus dev` that the test can kill.
final class ServerProcess: Sendable {
  struct CannotStart: Error, CustomStringConvertible {
    let description: String
  }

  let processID: Int32
  /// The time from the start of the program to the line that says it is ready.
  let startDuration: Duration
  private let settings: [String: String]
  private let ended: Task<ContinuousClock.Instant, Never>

  /// Starts the program and waits until it answers.
  ///
  /// - Parameters:
  ///   - port: the port of an earlier process, or 0 for any free port.
  ///   - environment: additional environment variables for the program.
  /// - Throws: ``CannotStart`` with the output of the program.
  static func start(
    _ binary: ServerBinary, data: URL, port: Int = 0, environment: [String: String] = [:]
  ) async throws -> ServerProcess {
    let process = Process()
    process.executableURL = binary.file
    process.arguments =
      ["dev", "--data", data.path, "--port", String(port)]
      + (try CrashDatabase.chosen?.options(forServerIn: data) ?? [])
    process.environment = ProcessInfo.processInfo.environment
      .merging(environment) { _, new in new }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    let (ends, end) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
    process.terminationHandler = { _ in
      end.yield(ContinuousClock.now)
      end.finish()
    }
    let begin = ContinuousClock.now
    let text = Output(of: output.fileHandleForReading)
    try process.run()
    guard await text.waitForLine(beginning: "stratus is ready at ") else {
      kill(process.processIdentifier, SIGKILL)
      throw CannotStart(description: "stratus did not start; it printed: \(await text.lines)")
    }
    return ServerProcess(
      processID: process.processIdentifier, startDuration: ContinuousClock.now - begin,
      settings: Self.exported(await text.lines),
      ended: Task { await ends.first { _ in true } ?? ContinuousClock.now })
  }

  private init(
    processID: Int32, startDuration: Duration, settings: [String: String],
    ended: Task<ContinuousClock.Instant, Never>
  ) {
    self.processID = processID
    self.startDuration = startDuration
    self.settings = settings
    self.ended = ended
  }

  private static func exported(_ lines: [String]) -> [String: String] {
    var settings: [String: String] = [:]
    for line in lines where line.hasPrefix("export ") {
      let parts = line.dropFirst("export ".count).split(separator: "=", maxSplits: 1)
      if parts.count == 2 { settings[String(parts[0])] = String(parts[1]) }
    }
    return settings
  }

  /// The server's URL.
  var url: String { settings["STRATUS_URL"] ?? "" }

  /// The app's API token from the program's output.
  var apiToken: String? { settings["STRATUS_API_TOKEN"] }
  /// The developer's web auth token from the program's output.
  var webAuthToken: String? { settings["STRATUS_WEB_AUTH_TOKEN"] }

  /// The start of a request's query. It contains the API token and the web auth token.
  var query: String {
    let token = (settings["STRATUS_WEB_AUTH_TOKEN"] ?? "")
      .addingPercentEncoding(withAllowedCharacters: .alphanumerics)
    return "ckAPIToken=\(settings["STRATUS_API_TOKEN"] ?? "")&ckWebAuthToken=\(token ?? "")"
  }

  /// A connection to the server with both tokens.
  func connect(as deviceID: String) -> Connection {
    Connection(
      to: Connection.Address(
        url: settings["STRATUS_URL"] ?? "", container: "iCloud.test.crash",
        environment: .development, deviceID: deviceID),
      apiToken: settings["STRATUS_API_TOKEN"], webAuthToken: settings["STRATUS_WEB_AUTH_TOKEN"],
      exchange: NetworkExchange(connectionsMax: 32),
      timing: Self.timing())
  }

  /// A real clock with waits that end at once.
  static func timing() -> Timing {
    let clock = ContinuousClock.now
    return Timing(
      now: { Double((ContinuousClock.now - clock).components.seconds) },
      sleep: { _ in await Task.yield() }, chance: { 0.5 })
  }

  /// Sends SIGKILL. The program cannot react to it.
  func killHard() { kill(processID, SIGKILL) }

  /// Waits until the process has ended.
  ///
  /// - Returns: the time of its end. The caller may run much later, because all tests share the
  ///   same threads.
  @discardableResult
  func waitForEnd() async -> ContinuousClock.Instant { await ended.value }
}

/// The output of a program, line by line.
private actor Output {
  private(set) var lines: [String] = []
  private let chunks: AsyncStream<Data>
  private var rest = ""

  /// NB: a thread reads the pipe. A `readabilityHandler` that is removed at the end of the pipe may
  /// still run when the pipe is closed, and crash.
  init(of handle: FileHandle) {
    let (chunks, chunk) = AsyncStream.makeStream(of: Data.self)
    self.chunks = chunks
    Thread.detachNewThread {
      while true {
        let data = handle.availableData
        if data.isEmpty { return chunk.finish() }
        chunk.yield(data)
      }
    }
  }

  /// Waits until the program prints a line that begins with a text. Returns false if the program
  /// ends without such a line.
  func waitForLine(beginning: String) async -> Bool {
    for await data in chunks {
      rest += String(decoding: data, as: UTF8.self)
      var parts = rest.components(separatedBy: "\n")
      rest = parts.removeLast()
      lines += parts
      if parts.contains(where: { $0.hasPrefix(beginning) }) { return true }
    }
    return false
  }
}
