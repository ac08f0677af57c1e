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
    var extent = ReadinessFault.Extent.everything
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

  @Test func `The readiness probe uses a result for as long as its caller accepts`() async throws {
    let clock = MovedClock()
    let faults = Kept([ReadinessFault(name: "store-lost", reason: "a store is gone")])
    let probe = ReadinessProbe(
      [Check(name: "stores") { faults.value }], ambient: clock.live.ambient)
    #expect(await probe.faults(ageMaxMilliseconds: 5_000).count == 1)
    faults.value = []
    clock.move(bySeconds: 4)
    #expect(await probe.faults(ageMaxMilliseconds: 5_000).count == 1)
    clock.move(bySeconds: 1)
    #expect(await probe.faults(ageMaxMilliseconds: 5_000).isEmpty)
    faults.value = [ReadinessFault(name: "disk-full", reason: "the disk is full")]
    clock.move(bySeconds: 1)
    #expect(await probe.faults().map(\.name) == ["disk-full"])
    #expect(await probe.faults(ageMaxMilliseconds: 5_000).map(\.name) == ["disk-full"])
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
  func `The readiness probe does not wait long for a check that concerns only files`() async throws
  {
    let (gate, key) = AsyncStream.makeStream(of: Void.self)
    let probe = ReadinessProbe(
      [
        Check(name: "disk") { [] },
        Check(name: "s3", extent: .files) {
          for await _ in gate {}
          return []
        },
      ],
      ambient: Live().ambient, patience: .seconds(600), patienceForFiles: .milliseconds(50))
    let faults = await probe.faults()
    #expect(faults.map(\.name) == ["s3-unknown"])
    #expect(faults.map(\.extent) == [.files])
    #expect(ReadinessAnswer(faults: faults).isReady)
    key.finish()
  }

  @Test
  func `The readiness probe waits for the other checks if a check of files hangs`() async throws {
    let (filesGate, filesKey) = AsyncStream.makeStream(of: Void.self)
    let probe = ReadinessProbe(
      [
        Check(name: "disk") {
          for _ in 0..<1_000 { await Task.yield() }
          return [ReadinessFault(name: "disk-full", reason: "the disk is full")]
        },
        Check(name: "s3", extent: .files) {
          for await _ in filesGate {}
          return []
        },
      ],
      ambient: Live().ambient, patience: .seconds(600), patienceForFiles: .zero)
    let faults = await probe.faults()
    #expect(Set(faults.map(\.name)) == ["disk-full", "s3-unknown"])
    filesKey.finish()
  }

  @Test
  func `The readiness probe runs the other checks again while a check of files hangs`()
    async throws
  {
    let clock = MovedClock()
    let lost = Kept([ReadinessFault]())
    let (gate, key) = AsyncStream.makeStream(of: Void.self)
    let probe = ReadinessProbe(
      [
        Check(name: "stores") { lost.value },
        Check(name: "s3", extent: .files) {
          for await _ in gate {}
          return []
        },
      ],
      ambient: clock.live.ambient, patience: .seconds(600), patienceForFiles: .zero)
    #expect(await probe.faults().map(\.name) == ["s3-unknown"])
    lost.value = [ReadinessFault(name: "store-lost", reason: "a store is gone")]
    clock.move(bySeconds: 1)
    #expect(await probe.faults().map(\.name) == ["store-lost", "s3-unknown"])
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

  @Test func `A server is ready if a fault affects only files, and its answer names the fault`() {
    let lost = ReadinessFault(name: "s3-unreachable", reason: "S3 is gone", extent: .files)
    let full = ReadinessFault(name: "disk-full", reason: "the disk is full")
    let files = #"{"name":"s3-unreachable","reason":"S3 is gone","affects":"files"}"#
    #expect(ReadinessAnswer(faults: [lost]).isReady)
    #expect(!ReadinessAnswer(faults: [lost, full]).isReady)
    #expect(
      String(decoding: ReadinessAnswer(faults: [lost]).jsonBytes, as: UTF8.self)
        == #"{"status":"degraded","faults":[\#(files)]}"#)
    #expect(
      String(decoding: ReadinessAnswer(faults: [lost, full]).jsonBytes, as: UTF8.self)
        .hasPrefix(#"{"status":"unavailable","faults":[\#(files),"#))
  }

  @Test func `A server is ready if a fault affects only some stores`() {
    let damaged = ReadinessFault(name: "tables-damaged", reason: "damaged", extent: .stores)
    let store = #"{"name":"tables-damaged","reason":"damaged","affects":"stores"}"#
    #expect(ReadinessAnswer(faults: [damaged]).isReady)
    #expect(
      String(decoding: ReadinessAnswer(faults: [damaged]).jsonBytes, as: UTF8.self)
        == #"{"status":"degraded","faults":[\#(store)]}"#)
  }

  @Test func `A fault of a server's status keeps the part that it affects`() throws {
    for extent in [ReadinessFault.Extent.everything, .files, .stores] {
      let status = ServerStatus(
        lacks: [], faults: [ReadinessFault(name: "a", reason: "b", extent: extent)],
        version: "1", startedAt: 0, uptimeSeconds: 0, containers: [])
      let text = String(decoding: status.jsonBytes, as: UTF8.self)
      #expect(text.contains("\"ready\":\(extent != .everything)"))
      #expect(try ServerStatus(jsonBytes: status.jsonBytes).faults == status.faults)
    }
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
