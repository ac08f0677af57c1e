#if Postgres
  public import StratusDomain
  import StratusSQL
  import StratusWire

  /// How far the unfinished online upgrade of a store or of the registry has come.
  public struct PostgresUpgradeProgress: Sendable, Hashable {
    /// The store, or nil for the registry.
    public var store: StoreAddress?
    public var layout: Int64
    /// The layout to which the upgrade leads.
    public var target: Int64
    public var doneSteps: Int64
    /// The number of all steps, or nil if this version does not know the upgrade.
    public var allSteps: Int64?
    /// The key of the last row that the present step has filled, or nil if it fills no rows or has
    /// not begun.
    public var filledTo: Int64?
    /// Whether the upgrade goes on only after the end of all nodes of the earlier version.
    public var waitsForNodes: Bool
  }

  /// The unfinished online upgrades of an installation.
  public struct PostgresUpgradeList: Sendable, Hashable {
    /// The upgrade of the registry and those of the first stores, at most
    /// ``PostgresUpgradeList/storesMax`` stores.
    public var upgrades: [PostgresUpgradeProgress] = []
    /// The number of all unfinished upgrades.
    public var count: Int64 = 0

    /// The maximum number of listed stores. Choice: an operator reads no longer list.
    static let storesMax: Int64 = 100
  }

  extension LayoutStates {
    /// Returns the unfinished online upgrades. An upgrade counts as unfinished even before it has
    /// begun, if this version knows it.
    func unfinished(on connection: any SQLConnection) throws(ServerError) -> PostgresUpgradeList {
      var list = PostgresUpgradeList()
      if let state = try state(of: installation, on: connection),
        isUnfinished(state, of: layouts.registry)
      {
        let last = try position(of: installation, on: connection)
        list.upgrades.append(
          progress(
            of: state, at: nil, filledTo: last == .min ? nil : last, kind: layouts.registry))
        list.count = 1
      }
      let kind = layouts.store
      // If this version has no online upgrade, only the begun upgrades of other versions are found.
      let bound = kind.upgrade == nil ? 0 : kind.newest
      var storesCount: Int64 = 0
      try connection.run(
        unfinishedStores, [.integer(bound), .integer(PostgresUpgradeList.storesMax)]
      ) { (row) throws(ServerError) in
        storesCount = row.integer(6)
        // A later version may know further environments.
        guard let environment = ContainerEnvironment(rawValue: row.text(1)) else { return true }
        let state = LayoutState(
          layout: row.integer(2), target: row.integer(3), step: row.integer(4))
        list.upgrades.append(
          progress(
            of: state, at: StoreAddress(container: row.text(0), environment: environment),
            filledTo: row.isNull(5) ? nil : row.integer(5), kind: kind))
        return true
      }
      list.count += storesCount
      return list
    }

    private func isUnfinished(_ state: LayoutState, of kind: PostgresLayouts.Kind) -> Bool {
      state.target != 0 || kind.upgrade != nil && state.layout < kind.newest
    }

    private func progress(
      of state: LayoutState, at store: StoreAddress?, filledTo: Int64?, kind: PostgresLayouts.Kind
    ) -> PostgresUpgradeProgress {
      let target = state.target == 0 ? kind.newest : state.target
      let upgrade = target == kind.newest ? kind.upgrade : nil
      let isExpanded = upgrade.map { state.step >= Int64($0.expand.count) } ?? false
      return PostgresUpgradeProgress(
        store: store, layout: state.layout, target: target, doneSteps: state.step,
        allSteps: upgrade.map { Int64($0.steps.count) }, filledTo: filledTo,
        waitsForNodes: isExpanded && state.layout < target)
    }
  }
#endif
