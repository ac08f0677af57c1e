import StratusDomain
import StratusSQLite
import StratusWire

/// Checks whether the stores' files and the server's own file are intact.
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
        ReadinessFault(name: "disk-full", reason: "a write found no room on the disk")
      case .lost:
        ReadinessFault(
          name: "store-lost", reason: "the file of a store is missing, or it is another one")
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
  /// One sentence for the operator.
  var sentence: String {
    let what =
      store.map { "the store of \($0.container) (\($0.environment))" } ?? "the server's own file"
    return switch kind {
    case .diskFull: "\(what) found no room on the disk: make room; reads go on, writes wait"
    case .lost:
      "\(what) is missing, or it is another one: stop the server, bring the file back from a "
        + "backup, start the server"
    case .damaged: "\(what) is damaged: stop the server and bring it back from a backup"
    }
  }
}
