import Foundation
import StratusDomain
import StratusSQLite
import StratusWire

/// What is wrong with a data folder.
struct FolderHealth: HealthChecking {
  /// Less room than this counts as none: a commit of one large batch takes as much.
  private static let roomBytesMin: UInt64 = 16 << 20

  let folder: URL
  let stores: SQLiteStores
  let registry: SQLiteRegistry

  func problems() async -> [HealthProblem] {
    var problems: [HealthProblem] = []
    if isDiskFull { problems.append(HealthProblem(.diskFull)) }
    if let kind = registry.problem { problems.append(HealthProblem(kind)) }
    return problems + (await stores.problems())
  }

  private var isDiskFull: Bool {
    var status = statvfs()
    guard statvfs(folder.path, &status) == 0 else { return false }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize) < Self.roomBytesMin
  }
}

/// Memory is never lost or full.
struct NoProblems: HealthChecking {
  func problems() async -> [HealthProblem] { [] }
}

extension HealthProblem {
  /// One sentence for the operator.
  var sentence: String {
    let what =
      store.map { "the store of \($0.container) (\($0.environment))" } ?? "the server's own file"
    return switch kind {
    case .diskFull: "the disk of the data folder is full: make room; reads go on, writes wait"
    case .lost:
      "\(what) is missing or another one: stop the server, bring the file back from a backup, "
        + "start the server"
    case .damaged: "\(what) is damaged: stop the server and bring it back from a backup"
    }
  }
}
