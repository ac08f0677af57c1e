import Foundation
import Testing

@Suite(.serialized)
struct `A soak` {
  /// The number of seconds if `STRATUS_SOAK_SECONDS` is not set. With 0, the soak ends after each
  /// disturbance has run on one server, and after one kill.
  static let secondsByDefault = 0
  /// The maximum number of seconds of one disturbance.
  static let phaseSecondsMax = 12

  @Test
  func `a mixed load loses no acknowledged write and leaks no resources`() async throws {
    let variables = ProcessInfo.processInfo.environment
    let seed = variables["STRATUS_SEED"].flatMap { UInt64($0) } ?? 1
    let seconds =
      variables["STRATUS_SOAK_SECONDS"].flatMap { Int($0) } ?? Self.secondsByDefault
    let binary = try #require(
      ServerBinary.find(), "build the product stratus first, or set STRATUS_RELEASE_BINARY")
    let name = "stratus-soak-\(ProcessInfo.processInfo.processIdentifier)"
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let machine = try SoakMachine(variables: variables, folder: folder)
    defer {
      try? FileManager.default.removeItem(
        at: (machine.disk ?? folder)
          .appendingPathComponent("data"))
    }
    var soak = MixedSoak(
      binary: binary, folder: folder, machine: machine,
      phase: .seconds(min(Self.phaseSecondsMax, max(1, seconds / 8))), seed: seed)
    print("mixed soak: seed \(seed), set STRATUS_SEED to repeat the run")
    try await soak.run(until: ContinuousClock.now + .seconds(seconds))
    print(soak.summary)
    #expect(soak.faults.isEmpty, "seed \(seed): \(soak.faults.joined(separator: "\n"))")
    #expect(soak.killsCount > 0 && soak.writesCount > 0 || !soak.faults.isEmpty)
  }
}

extension MixedSoak {
  /// A summary of the result in one line.
  fileprivate var summary: String {
    let events = Disturbance.allCases.compactMap { disturbance in
      counts[disturbance].map { "\($0) × \(disturbance.rawValue)" }
    }
    return "mixed soak: \(killsCount) kills, \(writesCount) acknowledged requests, "
      + "\(refusedCount) refused by a full disk; \(events.joined(separator: ", "))"
  }
}
