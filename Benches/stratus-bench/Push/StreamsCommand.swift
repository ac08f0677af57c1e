import ArgumentParser
import Foundation

/// `stratus-bench streams`: runs a separate server with idle notification streams.
struct StreamsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "streams", abstract: "Hold idle streams of notifications; a part of `push`.")

  /// The number of devices. It is lower than `Limits.devicesPerUserMax`, so that the server does
  /// not forget a device while streams are opened.
  private static let devices = 40
  private static let leaving = 1_000

  @Option(help: "The stratus binary.")
  var server: String

  @Option(help: "The number of streams; a process can open at most 20,000 files.")
  var count = 18_000

  func run() throws {
    let work = try WorkFolder.make(in: nil)
    defer { WorkFolder.remove(work) }
    let server = try BenchServer(program: server, folder: work)
    defer { server.process.stop() }
    let requests = server.requests("iCloud.bench.streams")
    _ = try Exchange(port: server.process.port).send(requests.createZone("idle"))
    let stream = { (index: Int) in requests.stream(device: "d\(index % Self.devices)") }
    let before = server.process.residentBytes
    var open = OpenStreams()
    defer { open.close() }
    try open.add(count, port: server.process.port, stream)
    usleep(2_000_000)
    let bytes = server.process.residentBytes - before
    Children.meet()

    let files = server.process.openFiles
    let left = min(Self.leaving, count)
    var start = Clock.nanoseconds()
    open.keep(count - left)
    while server.process.openFiles > files - left {
      if Clock.nanoseconds() - start > 60_000_000_000 {
        throw Failure("the server has not closed the streams of clients that disconnected")
      }
      usleep(1_000)
    }
    let leaving = Double(Clock.nanoseconds() - start) / 1e6
    try open.add(left, port: server.process.port, stream)

    start = Clock.nanoseconds()
    server.process.stop()
    Children.report([
      "kilobytesEach": Double(bytes) / Double(count) / 1_000,
      "leavingMilliseconds": leaving,
      "endingSeconds": Double(Clock.nanoseconds() - start) / 1e9,
    ])
  }
}
