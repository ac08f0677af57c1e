import CloudKit
import StratusDomain
import StratusServer
import StratusTesting
import Synchronization
import Testing

@Suite struct `A device that is signed in` {
  private static let day: Int64 = 86_400_000

  /// Runs a test with a server. The test sets the server's time.
  private func withTime(
    _ body: (_ device: CKContainer, _ pass: (Int64) -> Void) async throws -> Void
  ) async throws {
    let time = Mutex<Int64>(1_767_225_600_000)
    let ambient = Ambient(
      now: { time.withLock { $0 } }, makeUUID: { CKRecord.ID().recordName })
    let server = try await TestServer(live: Live(ambient: ambient))
    let device = try await Cloud(server: server).device()
    do {
      try await body(device) { span in time.withLock { $0 += span } }
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  @Test func `a device stays signed in while it is used`() async throws {
    try await withTime { device, pass in
      let userID = try await device.userRecordID()
      for _ in 0..<5 {
        pass(10 * Self.day)
        #expect(try await device.userRecordID() == userID)
      }
    }
  }

  @Test func `a device is signed out after two weeks without use`() async throws {
    try await withTime { device, pass in
      try await device.privateCloudDatabase.save(CKRecordZone(zoneID: zoneZ))
      pass(15 * Self.day)
      await expect(.accountTemporarilyUnavailable) {
        try await device.privateCloudDatabase.record(for: id("a"))
      }
      #expect(try await device.accountStatus() == .temporarilyUnavailable)
    }
  }
}
