import Foundation
import Testing

/// Runs server, network and devices in one thread with virtual time. See
/// docs/internals/simulation.md.
///
/// The simulation has its own process, because it runs all jobs of Swift's concurrency runtime in
/// its own loop. `scripts/test` runs the same seeds and thousands more with the release build, in
/// which a seed takes less time than in this debug build.
@Suite struct Simulations {
  private static let few = ["--seeds", "60", "--seconds", "60"]

  @Test func `devices and server have the same data at the end, whatever fails`() throws {
    let (status, output) = try simulate(Self.few)
    #expect(status == 0, "\(output)")
    #expect(output.contains("agree"))
  }

  @Test
  func `guests receive exactly the records that they may see, whatever fails`() throws {
    let (status, output) = try simulate(["--sharing"] + Self.few)
    #expect(status == 0, "\(output)")
    #expect(output.contains("acceptance"), "\(output)")
    #expect(output.contains("save of a guest"), "\(output)")
    #expect(output.contains("refusal of a guest"), "\(output)")
  }

  @Test func `a seed gives the same simulation run each time`() throws {
    let (status, output) = try simulate(["--seeds", "20", "--first", "5000", "--twice"])
    #expect(status == 0, "\(output)")
  }

  @Test func `a traced simulation prints its plan and its result`() throws {
    let (_, output) = try simulate(["--seed", "7", "--trace"])
    #expect(output.contains("plan:"))
    #expect(output.contains("seed 7: fine"), "\(output.suffix(2_000))")
  }
}

/// Runs the simulation program from the folder of the tests.
private func simulate(_ arguments: [String]) throws -> (status: Int32, output: String) {
  let products = try #require(Bundle.main.executableURL).deletingLastPathComponent()
  let process = Process()
  process.executableURL = products.appending(path: "stratus-simulation")
  process.arguments = arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let output = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}
