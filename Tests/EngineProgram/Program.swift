import CloudKit
import Foundation

/// `engine-watch`: runs a sync engine on the private and one on the shared database, until the
/// process ends. The container, the server and the account come from the environment, as for every
/// app.
///
/// Each line of the output is one event: a fetched record, with its database and its name, or
/// `running` when the first fetches have ended. After the name of a share, the line has the number
/// of participants who have accepted.
@main
struct Program {
  static func main() async throws {
    let container = CKContainer.default()
    let watchers = [
      Watcher("private", container.privateCloudDatabase),
      Watcher("shared", container.sharedCloudDatabase),
    ]
    for watcher in watchers { try await watcher.engine?.fetchChanges() }
    say("running")
    let (forever, _) = AsyncStream<Void>.makeStream()
    for await _ in forever {}
  }

  /// NB: `print` keeps lines in a buffer if the output is a pipe.
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}

/// Prints the records that an engine fetches.
///
/// NB: `@unchecked` is safe, because the engine is set once, before it can call its delegate.
final class Watcher: CKSyncEngineDelegate, @unchecked Sendable {
  private let name: String
  private(set) var engine: CKSyncEngine?

  init(_ name: String, _ database: CKDatabase) {
    self.name = name
    engine = CKSyncEngine(
      CKSyncEngine.Configuration(database: database, stateSerialization: nil, delegate: self))
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    guard case .fetchedRecordZoneChanges(let changes) = event else { return }
    for modification in changes.modifications {
      let record = modification.record
      var line = "\(name) \(record.recordID.recordName)"
      if let share = record as? CKShare {
        line += " \(share.participants.filter { $0.acceptanceStatus == .accepted }.count)"
      }
      Program.say(line)
    }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }
}
