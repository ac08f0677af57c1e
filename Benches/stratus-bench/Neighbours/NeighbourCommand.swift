import ArgumentParser
import Foundation
import Glibc

/// `stratus-bench neighbour`: puts a load on a server until its input ends.
struct NeighbourCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "neighbour", abstract: "Put a load on a server; a part of `neighbours`.")

  /// The name of the environment variable that contains the tokens of the load's account.
  static let queryVariable = "STRATUS_BENCH_QUERY"
  /// The lowest priority, so that the server and the measurement get processor time first.
  private static let niceness: Int32 = 19

  @Argument var load: Neighbour
  @Option var port: Int
  @Option var container: String

  func run() throws {
    if load != .spinFairly {
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
    }
    let query = ProcessInfo.processInfo.environment[Self.queryVariable] ?? ""
    let caller = NeighbourCaller(
      port: port, requests: Requests(query: query, container: container))
    let makeTurn = try caller.prepare(load)
    say("prepared")
    guard readLine() != nil else { return }
    for lane in 0..<load.lanes {
      let lane = Lane(turn: try makeTurn(lane))
      Thread.detachNewThread { lane.run() }
    }
    say("ready")
    while readLine() != nil {}
  }

  private func say(_ word: String) {
    FileHandle.standardOutput.write(Data((word + "\n").utf8))
  }
}

/// The part of a load that one thread runs.
///
/// NB: `@unchecked` is safe, because each lane is used by one thread only.
private struct Lane: @unchecked Sendable {
  let turn: NeighbourCaller.Turn

  func run() {
    while true {
      // A refused request or a closed connection is not an error of the load.
      do { try turn() } catch { usleep(2_000) }
    }
  }
}
