import Foundation
import StratusDomain
import StratusTesting
import StratusWire
import Testing

@testable import StratusHTTP
@testable import StratusServer

/// The readiness check, by which a server reports whether it can work.
@Suite(.timeLimit(.minutes(15))) struct Readiness {
  private struct Check: ReadinessCheck {
    let name: String
    let look: @Sendable () async -> [ReadinessFault]

    func faults() async -> [ReadinessFault] { await look() }
  }

  @Test func `The readiness check names a fault, and runs again after a second at the earliest`()
    async throws
  {
    let clock = MovedClock()
    let faults = Kept([ReadinessFault(name: "store-lost", reason: "a store is gone")])
    let probe = ReadinessProbe(
      [Check(name: "disk") { [] }, Check(name: "stores") { faults.value }],
      ambient: clock.live.ambient)
    #expect(await probe.faults().map(\.name) == ["store-lost"])
    faults.value = []
    #expect(await probe.faults().map(\.name) == ["store-lost"])
    clock.move(bySeconds: 1)
    #expect(await probe.faults().isEmpty)
  }

  @Test
  func `The readiness probe names a check that hangs, and runs the other checks`() async throws {
    let (gate, key) = AsyncStream.makeStream(of: Void.self)
    let probe = ReadinessProbe(
      [
        Check(name: "disk") {
          for await _ in gate {}
          return []
        },
        Check(name: "stores") { [ReadinessFault(name: "store-lost", reason: "a store is gone")] },
      ],
      ambient: Live().ambient, patience: .milliseconds(50))
    let faults = await probe.faults()
    #expect(Set(faults.map(\.name)) == ["disk-unknown", "store-lost"])
    key.finish()
  }

  @Test
  func `The readiness check reports a data folder that the server cannot write to`() async throws {
    let missing = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-missing-" + Live().ambient.makeUUID())
    #expect(await DiskReadiness(folder: missing).faults().map(\.name) == ["disk-unwritable"])
    try FileManager.default.createDirectory(at: missing, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: missing) }
    #expect(await DiskReadiness(folder: missing).faults().isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: missing.path).isEmpty)
  }

  @Test func `The readiness answer describes the fault`() {
    let fault = ReadinessFault(name: "disk-full", reason: "the disk is full")
    #expect(
      String(decoding: ReadinessAnswer(faults: [fault]).jsonBytes, as: UTF8.self)
        == #"{"status":"unavailable","faults":[{"name":"disk-full","reason":"the disk is full"}]}"#)
    #expect(
      String(decoding: ReadinessAnswer(faults: []).jsonBytes, as: UTF8.self) == #"{"status":"ok"}"#)
  }

  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1"), ("::1", "[::1]"), ("[::1]", "[::1]"),
    ("fe80::1%eth0", "[fe80::1%25eth0]"),
    ("localhost", "localhost"),
  ])
  func `A URL contains an IPv6 address in brackets`(host: String, text: String) {
    #expect(Settings.inURL(host) == text)
  }
}

/// A value that a test changes.
private final class Kept<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var kept: Value

  init(_ value: Value) { kept = value }

  var value: Value {
    get { lock.withLock { kept } }
    set { lock.withLock { kept = newValue } }
  }
}
