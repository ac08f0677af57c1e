import Foundation
import StratusWire
import Synchronization
import Testing

@testable import StratusTransport

/// A server that returns one key for each requested zone.
private final class KeyServer: HTTPExchange {
  private let asked = Mutex<[ZoneID]>([])
  private let made = Mutex<[ZoneID]>([])
  private let pair: UserKeyPair
  private let keys: [ZoneID: ZoneKey]

  init(pair: UserKeyPair, keys: [ZoneID: ZoneKey]) {
    self.pair = pair
    self.keys = keys
  }

  var askedZones: [ZoneID] { asked.withLock { $0 } }
  var zonesWithNewKeys: [ZoneID] { made.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse {
    do {
      if request.url.path.hasSuffix(WrapZoneKey.path) {
        let wanted = try WrapZoneKey.Request(jsonBytes: request.body)
        made.withLock { $0.append(wanted.zoneID) }
        throw NetworkFailure.lostAfterSending
      }
      let wanted = try FetchKeys.Request(jsonBytes: request.body)
      asked.withLock { $0 += wanted.zones }
      let zones = try wanted.zones.map { zoneID in
        FetchKeys.ZoneKeys(
          zoneID: zoneID, keys: try keys[zoneID].map { [try $0.wrapped(for: pair)] } ?? [])
      }
      let answer = FetchKeys.Response(
        userRecordName: "_ann", publicKey: pair.publicBytes, zones: zones)
      return HTTPResponse(status: 200, body: answer.jsonBytes)
    } catch {
      throw .lostAfterSending
    }
  }
}

@Suite struct `A key ring` {
  private let own = ZoneID(zoneName: "Notes")
  private let bobs = ZoneID(zoneName: "Notes", ownerRecordName: "_bob")

  private func key(_ byte: UInt8, owner: String) -> ZoneKey {
    ZoneKey(
      [UInt8](repeating: byte, count: 32),
      of: ZoneKeyContext(
        container: "iCloud.a", environment: .development, owner: owner, zoneName: "Notes"))
  }

  /// Runs a test with the key ring of a device that has Ann's account key.
  private func withRing(
    _ keys: [ZoneID: ZoneKey], _ body: (KeyRing, KeyServer) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-keys-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let deviceKeys = DeviceKeys(file: folder.appendingPathComponent("keys.json"))
    let account = try deviceKeys.newest(orDrawnFrom: { (0..<$0).map { UInt8($0) } })
    let pair = try account.pair(of: "_ann", container: "iCloud.a", environment: .development)
    let server = KeyServer(pair: pair, keys: keys)
    let connection = Connection(
      to: Connection.Address(
        url: "https://cloud.example.org", container: "iCloud.a", environment: .development,
        deviceID: "D"),
      apiToken: "api", webAuthToken: "web", exchange: server, timing: FakeTime().timing())
    let ring = KeyRing(connection: connection, deviceKeys: deviceKeys, randomness: Fixture.nonce)
    try await body(ring, server)
  }

  @Test func `a key ring distinguishes zones of the same name by their owners`() async throws {
    let keys = [own: key(1, owner: "_ann"), bobs: key(2, owner: "_bob")]
    try await withRing(keys) { ring, server in
      let options = Connection.Options()
      let first = try await ring.sealingKey(of: own, options: options)
      let second = try await ring.sealingKey(of: bobs, options: options)
      // The ring has fetched both keys, so this call sends no request.
      let again = try await ring.sealingKey(of: own, options: options)
      #expect([first.id, second.id, again.id] == [keys[own]?.id, keys[bobs]?.id, keys[own]?.id])
      #expect(server.askedZones == [own, bobs])
    }
  }

  @Test func `a key ring opens the values of each owner with the key of that owner`() async throws {
    let (first, second) = (key(1, owner: "_ann"), key(2, owner: "_bob"))
    try await withRing([own: first, bobs: second]) { ring, _ in
      var wanted = [KeyRing.Wanted(own), KeyRing.Wanted(bobs)]
      wanted[0].keyIDs = [first.id]
      wanted[1].keyIDs = [second.id]
      let found = try await ring.openingKeys(wanted, options: Connection.Options())
      #expect(found.key(first.id, of: own)?.context.owner == "_ann")
      #expect(found.key(second.id, of: bobs)?.context.owner == "_bob")
      #expect(found.key(first.id, of: bobs) == nil)
      #expect(found.key(second.id, of: own) == nil)
    }
  }

  @Test func `a key ring removes the keys of one owner's zone only`() async throws {
    let keys = [own: key(1, owner: "_ann"), bobs: key(2, owner: "_bob")]
    try await withRing(keys) { ring, server in
      let options = Connection.Options()
      for zoneID in [own, bobs] { _ = try await ring.sealingKey(of: zoneID, options: options) }
      ring.forget(bobs)
      for zoneID in [own, bobs] { _ = try await ring.sealingKey(of: zoneID, options: options) }
      #expect(server.askedZones == [own, bobs, bobs])
    }
  }

  @Test func `a key ring creates no key for the zone of another owner`() async throws {
    try await withRing([:]) { ring, server in
      await #expect(throws: KeyFailure.self) {
        _ = try await ring.sealingKey(of: bobs, options: Connection.Options())
      }
      #expect(server.zonesWithNewKeys.isEmpty)
      // For the user's own zone, the ring sends a new key to the server. The server's answer is
      // lost.
      _ = try? await ring.sealingKey(of: own, options: Connection.Options())
      #expect(server.zonesWithNewKeys.first == own)
    }
  }
}
