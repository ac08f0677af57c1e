package import Foundation
package import StratusServer
package import StratusWire
import Synchronization

/// The storage engine of the servers that tests start.
package enum TestEngine: String {
  /// SQLite, in memory or in a folder.
  case sqlite
  /// The PostgreSQL cluster at ``postgresURL``. Each server has a schema of its own.
  case postgres

  /// The engine that the variable `STRATUS_TEST_ENGINE` chooses. The default is SQLite.
  package static let chosen: TestEngine = {
    guard let name = ProcessInfo.processInfo.environment["STRATUS_TEST_ENGINE"], !name.isEmpty
    else { return .sqlite }
    guard let engine = TestEngine(rawValue: name) else {
      preconditionFailure("STRATUS_TEST_ENGINE must be sqlite or postgres, and not \(name)")
    }
    return engine
  }()

  /// Whether a server with a folder has files of SQLite in it. Tests that read or change such files
  /// run only then.
  package static var hasFiles: Bool { chosen == .sqlite }

  /// The address of the PostgreSQL cluster for tests, or nil if there is none.
  /// `scripts/with-postgres` starts a cluster and sets the variable `STRATUS_TEST_POSTGRES` to its
  /// address.
  package static var postgresURL: String? {
    ProcessInfo.processInfo.environment["STRATUS_TEST_POSTGRES"]
  }

  /// Creates an empty storage. Its data is lost when it is closed.
  ///
  /// - Throws: an error whose text says why the storage cannot be used.
  package func storage(live: Live) async throws -> ServerStorage {
    switch self {
    case .sqlite: try ServerStorage(inMemory: live)
    case .postgres:
      try await ServerStorage.inPostgres(
        try Self.url, testSchema: Self.schema("\(Self.schemas.next())"), folder: nil, live: live,
        limits: .unpaced)
    }
  }

  /// Opens the storage that belongs to a folder. In PostgreSQL, the name of the schema depends on
  /// the path of the folder, so that a server finds the data of an earlier server of this process.
  ///
  /// - Throws: an error whose text says why the storage cannot be used.
  package func storage(
    in folder: URL, live: Live, limits: LimitSettings = .unpaced
  ) async throws -> ServerStorage {
    switch self {
    case .sqlite: try ServerStorage(folder: folder, live: live, limits: limits)
    case .postgres:
      try await ServerStorage.inPostgres(
        try Self.url, testSchema: Self.schema(Self.digits(of: folder)), folder: folder, live: live,
        limits: limits)
    }
  }

  private static var url: String {
    get throws {
      guard let postgresURL else {
        throw MissingCluster(
          description: """
            STRATUS_TEST_ENGINE is postgres, but STRATUS_TEST_POSTGRES has no address; run the \
            tests by scripts/with-postgres
            """)
      }
      return postgresURL
    }
  }

  /// The ID of the process is part of the name, because several test processes may share a cluster.
  private static func schema(_ text: String) -> String {
    "server_\(ProcessInfo.processInfo.processIdentifier)_\(text)"
  }

  /// The FNV-1a hash of a folder's path.
  private static func digits(of folder: URL) -> String {
    let hash = folder.standardizedFileURL.path.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    return String(hash, radix: 36)
  }

  private static let schemas = Counter()
}

/// Counts the schemas that this process has created.
private final class Counter: Sendable {
  private let number = Atomic<Int>(0)

  func next() -> Int { number.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// The reason why no PostgreSQL cluster is found for a test.
private struct MissingCluster: Error, CustomStringConvertible {
  let description: String
}
