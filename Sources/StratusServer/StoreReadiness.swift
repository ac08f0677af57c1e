import StratusDomain
import StratusSQLite
import StratusWire

/// Checks whether a file of the stores or of the registry is missing, replaced or damaged, and
/// whether a write needed more space than the disk had.
struct StoreReadiness: ReadinessCheck {
  let stores: SQLiteStores
  let registry: SQLiteRegistry

  var name: String { "stores" }

  func faults() async -> [ReadinessFault] {
    var kinds: [HealthProblem.Kind] = []
    for kind in await problems().map(\.kind) where !kinds.contains(kind) { kinds.append(kind) }
    return kinds.map { kind in
      switch kind {
      case .diskFull:
        ReadinessFault(name: "disk-full", reason: "a write needed more space on the disk")
      case .lost:
        ReadinessFault(
          name: "store-lost", reason: "the file of a store is missing or was replaced")
      case .damaged:
        ReadinessFault(name: "store-damaged", reason: "the file of a store is damaged")
      }
    }
  }

  func problems() async -> [HealthProblem] {
    let own = registry.problem.map { [HealthProblem($0)] } ?? []
    return own + (await stores.problems())
  }
}

extension HealthProblem {
  /// A sentence for the operator about the problem.
  var sentence: String {
    let what =
      store.map { "the store of \($0.container) (\($0.environment))" } ?? "the server's own file"
    return switch kind {
    case .diskFull: "\(what) needs more disk space: free some; reads still work, and writes wait"
    case .lost:
      "\(what) is missing or was replaced: stop the server, restore the file from a "
        + "backup, and start the server"
    case .damaged: "\(what) is damaged: stop the server and restore it from a backup"
    }
  }
}
