import CloudKit
import StratusTransport
import Testing

@Suite struct `A container` {
  @Test func `a container has three databases, and the private one is one object`() async throws {
    try await withCloud { cloud in
      let device = try await cloud.device()
      #expect(device.containerIdentifier == Cloud.containerID)
      let database = device.privateCloudDatabase
      #expect(database === device.database(with: .private))
      #expect(device.publicCloudDatabase.databaseScope == .public)
      #expect(device.sharedCloudDatabase.databaseScope == .shared)
    }
  }

  @Test func `the server refuses a request with an unknown API token`() async throws {
    try await withCloud { cloud in
      let container = try await cloud.device(Cloud.containerID, apiToken: "unknown")
      await expect(.notAuthenticated) {
        try await container.publicCloudDatabase.record(for: id("a", in: .default))
      }
    }
  }

  @Test func `the data of two containers is separate`() async throws {
    try await withCloud { cloud in
      try await cloud.device().publicCloudDatabase.save(note("a", in: .default))
      let other = try await cloud.device("iCloud.org.example.Other")
      await expect(.unknownItem) {
        try await other.publicCloudDatabase.record(for: id("a", in: .default))
      }
      let here = try await cloud.device().userRecordID()
      #expect(try await other.userRecordID() != here)
    }
  }

  @Test func `a request to an illegal container name fails with badContainer`() async throws {
    try await withCloud { cloud in
      let container = try await cloud.device("not a container")
      await expect(.badContainer) {
        try await container.publicCloudDatabase.record(for: id("a", in: .default))
      }
    }
  }

  @Test
  func `a configuration and a group apply to the calls in the body of configuredWith`()
    async throws
  {
    try await withCloud { cloud in
      let network = cloud.network()
      let device = try await cloud.device(by: network)
      let configuration = CKOperation.Configuration()
      configuration.timeoutIntervalForRequest = 7
      let group = CKOperationGroup()
      try await device.configuredWith(configuration: configuration, group: group) { configured in
        try await configured.privateCloudDatabase.save(CKRecordZone(zoneID: zoneZ))
      }
      try await device.privateCloudDatabase.configuredWith(configuration: configuration) {
        try await $0.save(note("a"))
      }
      try await device.privateCloudDatabase.save(note("b"))
      let zone = try #require(network.requests("zones/modify").first)
      #expect(zone.timeoutSeconds == 7)
      #expect(zone.headers["X-Apple-Operation-Group-ID"] == group.operationGroupID)
      #expect(network.requests("records/modify").map(\.timeoutSeconds) == [7, 60])
    }
  }
}
