import Foundation
import StratusDomain
import StratusServer
import StratusTesting
import StratusTransport
import StratusWire
import Synchronization

@testable import StratusKit

/// A server and its clients. The data of the server becomes golden files.
///
/// The clock moves only between steps, and random values come from a seed. Most of the output is
/// therefore the same in every run of the script.
final class MakerScene: Sendable {
  static let golden = "iCloud.org.example.Golden"
  static let second = "iCloud.org.example.Second"
  static let program = "golden-app"
  /// Noon of 1 November 2026, UTC, in milliseconds since 1970.
  static let start: Int64 = 1_793_534_400_000

  let folder: URL
  let server: TestServer
  private let scratch: URL
  private let clock: MakerClock
  /// Values that apps may store as text.
  private let texts = Mutex<[String: String]>([:])

  init(writingTo folder: URL) async throws {
    self.folder = folder
    scratch = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-golden-\(UUID().uuidString)", isDirectory: true)
    for place in [folder, scratch] {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    }
    clock = MakerClock(start: Self.start)
    server = try await TestServer(
      onDiskIn: folder.appendingPathComponent("server-data", isDirectory: true), live: clock.live)
  }

  /// Advances the server's clock by a minute.
  func pass() { clock.pass() }

  func note(_ name: String, _ text: String?) { texts.withLock { $0[name] = text } }

  func text(_ name: String) -> String { texts.withLock { $0[name] ?? "" } }

  /// Sends an operator's request.
  func manage<E: Endpoint>(_ endpoint: E.Type, _ request: E.Request) async throws -> E.Response {
    let url = URL(string: "http://stratus.test/management/1/\(E.path)")
    let answer = try await server.exchange.send(
      StratusTransport.HTTPRequest(
        url: url ?? folder, headers: ["Authorization": "Bearer \(server.managementToken)"],
        body: request.jsonBytes, timeoutSeconds: 60))
    guard answer.status == 200 else {
      throw MakerFailure("\(E.path): \(String(decoding: answer.body, as: UTF8.self))")
    }
    return try E.Response(jsonBytes: answer.body)
  }

  /// The folder of the device whose files become golden files.
  var device: URL { folder.appendingPathComponent("device", isDirectory: true) }
  var keysFile: URL { device.appendingPathComponent("keys.json") }

  /// Returns the container of the app on one of the user's devices.
  ///
  /// - Parameters:
  ///   - name: the name of the device. The files of `phone` become golden files.
  ///   - exchange: sends the requests. If it is nil, the server's own exchange sends them.
  func container(
    _ identifier: String = MakerScene.golden, of user: String,
    in environment: CKContainer.Settings.Environment = .development, on name: String = "phone",
    hasKeys: Bool = true, through exchange: (any HTTPExchange)? = nil
  ) -> CKContainer {
    let place = scratch.appendingPathComponent(name, isDirectory: true)
    return CKContainer(
      identifier: identifier,
      settings: CKContainer.Settings(
        url: URL(string: "http://stratus.test"), environment: environment,
        apiToken: text("apiToken.\(identifier).\(environment.rawValue)"),
        webAuthToken: text("webAuthToken.\(identifier).\(environment.rawValue).\(user)"),
        keysFile: hasKeys ? keysFile : place.appendingPathComponent("none.json"),
        stateFolder: (name == "phone" ? device : place).appendingPathComponent("state")),
      exchange: exchange ?? server.exchange,
      assets: AssetSettings(cacheFolder: place.appendingPathComponent("cache")),
      program: Self.program)
  }

  /// Creates a file with this text outside of the golden files.
  func file(_ name: String, _ text: String) throws -> URL {
    let file = scratch.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    return file
  }

  /// Creates a device's account key from the seed, and gives the device a fixed name.
  func makeDevice() throws {
    _ = try DeviceKeys(file: keysFile).newest(orDrawnFrom: clock.draw)
    let identity = DeviceIdentity.taken(
      by: Self.program, in: device.appendingPathComponent("state"), container: Self.golden,
      environment: .development, newID: { "GOLDEN-DEVICE-0001" })
    guard identity?.id == "GOLDEN-DEVICE-0001" else { throw MakerFailure("no device name") }
  }

  /// Stops the server and writes the remaining files.
  func finish() async throws {
    await server.stop()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let texts = texts.withLock { $0 }
    try encoder.encode(texts).write(to: folder.appendingPathComponent("texts.json"))
    try FileManager.default.removeItem(at: scratch)
  }
}

/// The reason why golden files could not be written.
struct MakerFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// A clock that moves only when the program advances it, and random values from a seed
/// (SplitMix64).
final class MakerClock: Sendable {
  private let milliseconds: Mutex<Int64>
  private let state = Mutex<UInt64>(13)

  init(start: Int64) { milliseconds = Mutex(start) }

  func pass() { milliseconds.withLock { $0 += 60_000 } }

  private func next() -> UInt64 {
    state.withLock { state in
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
      return value ^ value >> 31
    }
  }

  @Sendable func draw(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  var live: StratusServer.Live {
    StratusServer.Live(
      ambient: Ambient(
        now: { self.milliseconds.withLock { $0 } },
        makeUUID: {
          let bytes = self.draw(16)
          return UUID(
            uuid: (
              bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
              bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            )
          ).uuidString
        }),
      randomness: draw)
  }
}
