import ArgumentParser
import CloudKit
import Foundation

/// `stratus-bench sync`: sends and fetches records with `CKSyncEngine`, using a separate server.
struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Sync records up and down; the job of that name.")

  @Option(help: "The stratus binary.")
  var server: String

  @Option(help: "The number of records.")
  var records = 100_000

  func run() async throws {
    let work = try WorkFolder.make(in: nil)
    defer { WorkFolder.remove(work) }
    let server = try BenchServer(program: server, folder: work)
    defer { server.process.stop() }
    let (phone, tablet) = (SyncedDevice(), SyncedDevice())
    let phoneEngine = engine(of: phone, "phone", on: server, work)
    let tabletEngine = engine(of: tablet, "tablet", on: server, work)
    phone.write(records, phoneEngine)
    Children.meet()

    var start = Clock.nanoseconds()
    try await phoneEngine.sendChanges()
    let up = Clock.nanoseconds() - start
    start = Clock.nanoseconds()
    try await tabletEngine.fetchChanges()
    let down = Clock.nanoseconds() - start
    guard phone.counts == .init(sent: records), tablet.counts == .init(fetched: records) else {
      throw Failure("not all of \(records) records were synced: \(phone.counts), \(tablet.counts)")
    }
    Children.report(["upSeconds": Double(up) / 1e9, "downSeconds": Double(down) / 1e9])
  }

  private func engine(
    of device: SyncedDevice, _ name: String, on server: BenchServer, _ work: String
  ) -> CKSyncEngine {
    let container = CKContainer(
      identifier: "iCloud.bench.sync",
      settings: CKContainer.Settings(
        url: URL(string: "http://127.0.0.1:\(server.process.port)"), environment: .development,
        apiToken: server.apiToken, webAuthToken: server.webAuthToken,
        stateFolder: URL(fileURLWithPath: "\(work)/\(name)")))
    var configuration = CKSyncEngine.Configuration(
      database: container.privateCloudDatabase, stateSerialization: nil, delegate: device)
    configuration.automaticallySync = false
    return CKSyncEngine(configuration)
  }
}
