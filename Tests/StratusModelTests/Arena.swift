import CloudKit
import StratusAccounts
import StratusTesting
import StratusTransport

/// Gives each sequence a new account with an empty private database on a shared server. The record
/// types of a sequence are new, too.
actor Arena {
  /// The number of sequences that share a container and its schema. With more sequences, the schema
  /// would become large. With fewer, the creation of stores would take much time.
  private static let sequencesPerContainer = 60

  private let server: TestServer
  private var count = 0

  init(server: TestServer) { self.server = server }

  /// The account, database and names for one run of a sequence.
  struct Place: Sendable {
    /// NB: the last two names look the same but have different bytes. CloudKit compares names by
    /// bytes.
    static let recordNames = ["plain", "a/b \\ \"c\"", "0", "caf\u{e9}", "cafe\u{301}"]

    let databases: [CKDatabase]
    private let containers: [CKContainer]
    private let number: Int

    fileprivate init(containers: [CKContainer], number: Int) {
      self.containers = containers
      self.number = number
      databases = containers.map(\.privateCloudDatabase)
    }

    func zoneID(_ zone: Int) -> CKRecordZone.ID {
      zone == 0 ? .default : CKRecordZone.ID(zoneName: "Zone\(zone)")
    }

    func recordID(_ key: RecordKey) -> CKRecord.ID {
      CKRecord.ID(recordName: Self.recordNames[key.name], zoneID: zoneID(key.zone))
    }

    func key(_ recordID: CKRecord.ID) -> RecordKey? {
      let name = Self.recordNames.firstIndex { $0.utf8.elementsEqual(recordID.recordName.utf8) }
      guard let zone = zone(recordID.zoneID), let name else { return nil }
      return RecordKey(zone: zone, name: name)
    }

    func zone(_ zoneID: CKRecordZone.ID) -> Int? { (0...2).first { self.zoneID($0) == zoneID } }

    func recordType(_ type: Int) -> String { "Type\(type)of\(number)" }
  }

  /// Creates an account and devices for one run of a sequence. Successive runs share a container
  /// (``sequencesPerContainer``).
  ///
  /// - Throws: the errors of the server.
  func place() async throws -> Place {
    count += 1
    let tokens = try await server.tokens(email: "user\(count)@localhost")
    let container = "iCloud.test.model\(count / Self.sequencesPerContainer)"
    let devices = (0..<StepGenerator.devicesCount).map { _ in
      CKContainer(
        identifier: container,
        settings: CKContainer.Settings(
          url: URL(string: "http://stratus.test"), environment: .development,
          apiToken: tokens.apiToken, webAuthToken: tokens.webAuthToken),
        exchange: server.exchange)
    }
    return Place(containers: devices, number: count)
  }
}
