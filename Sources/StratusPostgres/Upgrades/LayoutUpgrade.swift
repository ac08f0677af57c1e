#if Postgres
  import StratusDomain
  import StratusSQL

  /// The upgrade of a layout to the next one, while nodes of both versions work.
  ///
  /// NB: the steps of a released layout must never change, because a node may continue an upgrade
  /// that an earlier build has begun.
  struct LayoutUpgrade: Sendable {
    /// Adds tables, columns and indexes that nodes of the earlier layout do not notice.
    var expand: [UpgradeStep]
    /// Gives values to the new columns. No node of the earlier layout runs any more.
    var fill: [UpgradeStep]
    /// Drops the columns, tables and indexes that only the earlier layout needs.
    var contract: [UpgradeStep]

    var steps: [UpgradeStep] { expand + fill + contract }

    /// The number of finished steps from which the new columns have all values.
    var filledCount: Int64 { Int64(expand.count + fill.count) }
  }

  /// A step of an upgrade. A step can be interrupted at any time, and then runs again.
  enum UpgradeStep: Sendable {
    /// Statements that change definitions. They run in one transaction, and must be short.
    case define(String)
    /// Creates an index while others write to the table.
    ///
    /// - Parameters:
    ///   - name: the name of the index.
    ///   - on: the table and the columns, such as `records (zone, name)`.
    case index(name: String, isUnique: Bool = false, on: String)
    /// Changes rows in batches, in ascending order of a key that is a whole number.
    ///
    /// The function changes the rows of one batch after the given key. It returns the last key of
    /// the batch, or nil if there are no further rows. It may run twice.
    case fill(@Sendable (any SQLConnection, _ after: Int64) throws(ServerError) -> Int64?)
  }

  /// The layouts of tables that a node can use.
  struct PostgresLayouts: Sendable {
    /// The layouts of one kind of tables.
    struct Kind: Sendable {
      var newest: Int64
      /// The upgrade from the layout before the newest one, or nil if this upgrade is offline.
      var upgrade: LayoutUpgrade?

      /// The oldest layout that the node can use while other nodes run.
      var oldest: Int64 { upgrade == nil ? newest : newest - 1 }

      /// Returns the phase of tables with the given state.
      func phase(of state: LayoutState) -> SQLUpgradePhase {
        guard let upgrade, state.layout <= newest else { return .complete }
        if state.layout == newest, state.target != newest { return .complete }
        guard state.target == newest, state.step >= Int64(upgrade.expand.count) else {
          return .earlier
        }
        let isFilled = state.layout == newest && state.step >= upgrade.filledCount
        return isFilled ? .complete : .expanded
      }
    }

    var store: Kind
    var registry: Kind

    /// The layouts of this version.
    ///
    /// All upgrades to these layouts are offline. Statements of earlier versions would fail on
    /// these tables, or write incomplete rows.
    static let present = PostgresLayouts(
      store: Kind(newest: StoreTables.layout), registry: Kind(newest: RegistryTables.layout))

    /// Whether an upgrade of this version is online.
    var haveUpgrades: Bool { store.upgrade != nil || registry.upgrade != nil }

    /// Returns the layouts of the tables in a schema.
    ///
    /// - Parameter installation: the schema of the registry.
    func kind(of schema: String, in installation: String) -> Kind {
      schema == installation ? registry : store
    }
  }
#endif
