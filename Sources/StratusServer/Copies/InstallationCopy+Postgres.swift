#if Postgres
  import Foundation
  import StratusAssets
  import StratusDomain
  import StratusPostgres
  import StratusSQL
  import StratusSQLite
  import StratusWire

  extension InstallationCopy {
    /// Copies a data folder or some of its containers into an empty database.
    ///
    /// Each store is copied in a transaction of its own, so a copy of many stores needs few locks.
    /// Nodes refuse the database until the copy is complete.
    func move(_ folder: URL, toPostgres url: String) throws(BackupFailure) -> Summary {
      guard FileManager.default.fileExists(atPath: DataFolder.registry(in: folder).path) else {
        throw BackupFailure("\(folder.path) does not hold the data of a Stratus server")
      }
      let lock: DataFolder
      do throws(DataFolderError) { lock = try DataFolder(folder) } catch {
        throw BackupFailure("\(error)")
      }
      defer { lock.unlock() }
      // NB: in the database, the removals after a restored backup are rows. Each node finds them,
      // and no node answers a request before they are applied.
      let removals = try RemovalFile(data: folder).pendingEntries() ?? []
      guard containers == nil || removals.isEmpty else {
        throw BackupFailure(RegistrySelection.unappliedRemovals, what: "\(folder.path)")
      }
      var copy = self
      copy.assetsPlace = AssetsPlace(data: folder).stored
      try copy.requireFilesInFolders()
      let selection: RegistrySelection?
      do throws(ServerError) { selection = try self.selection(inFolder: folder) } catch {
        throw BackupFailure(error, what: "\(folder.path)")
      }
      try requireFreeShared()
      let target = try Self.installation(at: url, schema: schema, live: live)
      defer { target.close() }
      do throws(ServerError) { try target.beginCopy() } catch {
        throw BackupFailure(error, what: "the database", verb: "used")
      }
      try prepareShared()
      do throws(ServerError) {
        return try copy.fill(target, from: folder, removals, selection)
      } catch {
        throw BackupFailure(error, what: "\(folder.path)")
      }
    }

    private func selection(
      inFolder folder: URL
    ) throws(ServerError) -> RegistrySelection? {
      let registry = try SQLiteTableSet(reading: DataFolder.registry(in: folder))
      let found: RegistrySelection?
      do throws(ServerError) { found = try selection(in: registry) } catch {
        try? registry.close()
        throw error
      }
      try registry.close()
      return found
    }

    private func fill(
      _ target: PostgresInstallation, from folder: URL, _ removals: [RemovalEntry],
      _ selection: RegistrySelection?
    ) throws(ServerError) -> Summary {
      var summary = Summary()
      summary.assetsPlace = assetsPlace
      let addresses: [StoreAddress]
      do { addresses = try DataFolder.stores(in: folder).filter(includes) } catch {
        throw .fault("the folder cannot be read", facts: ["error": "\(error)"])
      }
      var epochs: [StoreAddress: Int64] = [:]
      for address in addresses {
        let source = try SQLiteTableSet(reading: DataFolder.file(of: address, in: folder))
        do throws(ServerError) {
          try target.makeStore(at: address) { (tables) throws(ServerError) in
            try copy(
              .store, address.title, from: source, to: tables, typed: source, &summary)
            if history == .begunAnew {
              try StoreTables.beginTimeline(
                epoch: live.makeEpoch(), now: live.ambient.now(), on: tables.connection)
            }
            epochs[address] = try StoreTables.identity(on: tables.connection)
          }
          let files = try source.assetFiles()
          try copyAssets(of: address, files, from: folder, to: shared, &summary)
        } catch {
          try? source.close()
          throw error
        }
        try source.close()
        summary.storesCount += 1
      }
      let registry = try SQLiteTableSet(reading: DataFolder.registry(in: folder))
      do throws(ServerError) {
        try target.fillRegistry { (tables) throws(ServerError) in
          try copy(
            .registry, "accounts", from: registry, to: tables, typed: registry,
            selection: selection, &summary)
          try RegistryTables.setStores(epochs, on: tables.connection)
          try RegistryTables.addPending(removals, on: tables.connection)
          if history == .begunAnew {
            try RegistryTables.forgetInstallation(on: tables.connection)
          }
        }
      } catch {
        try? registry.close()
        throw error
      }
      try registry.close()
      // A restored folder has no keys if none were restored. The first node then creates new ones.
      if FileManager.default.fileExists(atPath: KeyBackup.file(in: folder).path) {
        try keepKeys(from: folder, to: shared)
      }
      // NB: the source loses its history before the target can be used. If this process ended
      // between the two steps, change tokens would expire for both, and no change would be missed.
      if history == .moved {
        try FolderRenewal(of: folder).run(
          addresses, keepsOthers: containers != nil, makeEpoch: live.makeEpoch,
          now: live.ambient.now())
      }
      try removeMark()
      try target.finishCopy()
      return summary
    }

    /// Copies an installation in PostgreSQL or some of its containers into a folder that does not
    /// exist yet.
    func move(postgres url: String, to folder: URL) throws(BackupFailure) -> Summary {
      try requireFilesInFolders()
      let source = try Self.installation(at: url, schema: schema, live: live)
      defer { source.close() }
      let addresses: [StoreAddress]
      let selection: RegistrySelection?
      do throws(ServerError) {
        addresses = try source.beginReading().filter(includes)
        selection = try self.selection(in: try source.registry())
      } catch {
        throw BackupFailure(error, what: "the installation in PostgreSQL")
      }
      let partial = try Backup.makePartialFolder(for: folder)
      do throws(BackupFailure) {
        let summary: Summary
        do throws(ServerError) {
          summary = try fill(partial, from: source, addresses, selection)
        } catch {
          throw BackupFailure(error, what: "the installation in PostgreSQL")
        }
        guard DataFolder.flushNames(in: partial), rename(partial.path, folder.path) == 0,
          DataFolder.flushNames(in: folder.deletingLastPathComponent())
        else { throw BackupFailure("\(folder.path) cannot be created from the copy", errno) }
        return summary
      } catch {
        try? FileManager.default.removeItem(at: partial)
        throw error
      }
    }

    private func fill(
      _ folder: URL, from source: PostgresInstallation, _ addresses: [StoreAddress],
      _ selection: RegistrySelection?
    ) throws(ServerError) -> Summary {
      var summary = Summary()
      summary.assetsPlace = assetsPlace
      var epochs: [StoreAddress: Int64] = [:]
      for address in addresses {
        let target = try SQLiteTableSet(creating: DataFolder.file(of: address, in: folder)) {
          (connection) throws(ServerError) in
          try StoreTables.prepare(on: connection, makeEpoch: { 0 })
        }
        do throws(ServerError) {
          let tables = try source.store(at: address)
          try copy(.store, address.title, from: tables, to: target, typed: target, &summary)
          if history == .begunAnew {
            try StoreTables.beginTimeline(
              epoch: live.makeEpoch(), now: live.ambient.now(), on: target.connection)
          }
          epochs[address] = try StoreTables.identity(on: target.connection)
          try copyAssets(
            of: address, try target.assetFiles(), from: shared, to: folder, &summary)
        } catch {
          try? target.close()
          throw error
        }
        try target.close()
        summary.storesCount += 1
      }
      let registry = try SQLiteTableSet(creating: DataFolder.registry(in: folder)) {
        (connection) throws(ServerError) in
        try RegistryTables.prepare(on: connection, upgrade: nil)
      }
      do throws(ServerError) {
        try copy(
          .registry, "accounts", from: try source.registry(), to: registry, typed: registry,
          selection: selection, &summary)
        try RegistryTables.setStores(epochs, on: registry.connection)
        if history == .begunAnew {
          try RegistryTables.forgetInstallation(on: registry.connection)
        }
      } catch {
        try? registry.close()
        throw error
      }
      try registry.close()
      source.endReading()
      try keepKeys(from: shared, to: folder)
      if let assetsPlace {
        do { try AssetsPlace(data: folder).store(assetsPlace) } catch {
          throw .fault("the place of the assets cannot be written", facts: ["error": "\(error)"])
        }
      }
      if history == .moved {
        try source.renewEpochs(ofContainers: containers)
        if containers == nil {
          // The source has its own copy of the files in the shared folder, and gets a new ID.
          try? FileManager.default.removeItem(at: FolderAssetStore.ownerFile(in: shared))
        }
      }
      return summary
    }

    /// Connects to an installation in PostgreSQL.
    static func installation(
      at url: String, schema: String, live: Live
    ) throws(BackupFailure) -> PostgresInstallation {
      var settings: PostgresSettings
      do throws(PostgresURL.Fault) { settings = PostgresSettings(url: try PostgresURL(url)) } catch
      {
        throw BackupFailure(error.description)
      }
      settings.schema = schema
      do throws(ServerError) {
        return try PostgresInstallation(
          settings, now: live.ambient.now, makeEpoch: { live.makeEpoch() })
      } catch {
        throw BackupFailure(error, what: "PostgreSQL at \(settings.url.shown)", verb: "used")
      }
    }

    private func keepKeys(from source: URL, to target: URL) throws(ServerError) {
      do throws(BackupFailure) {
        try KeyBackup.copy(of: source, to: KeyBackup.file(in: target))
      } catch {
        throw .fault("the keys cannot be copied", facts: ["error": error.description])
      }
    }

    /// The file that marks a shared folder whose copy is not complete.
    private var mark: URL { shared.appendingPathComponent("unfinished-copy") }

    /// Refuses a shared folder that contains anything but an interrupted copy.
    private func requireFreeShared() throws(BackupFailure) {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: shared.path)) ?? []
      if names.isEmpty || names.contains(mark.lastPathComponent) { return }
      let reason =
        containers == nil
        ? "" : ", because containers cannot be added to an installation that exists"
      throw BackupFailure(
        "\(shared.path) is not empty: choose another folder for --shared\(reason)")
    }

    /// Creates the shared folder of a target, and removes an interrupted copy from it.
    private func prepareShared() throws(BackupFailure) {
      let files = FileManager.default
      do {
        try files.createDirectory(
          at: shared, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try OwnerFile.write([], to: mark)
        for name in try files.contentsOfDirectory(atPath: shared.path)
        where name != mark.lastPathComponent {
          try files.removeItem(at: shared.appendingPathComponent(name))
        }
      } catch {
        throw BackupFailure("\(shared.path) cannot be written to: \(error)")
      }
    }

    private func removeMark() throws(ServerError) {
      do { try FileManager.default.removeItem(at: mark) } catch {
        throw .fault("the shared folder cannot be written to", facts: ["error": "\(error)"])
      }
      DataFolder.flushNames(in: shared)
    }
  }

  extension SQLiteTableSet {
    /// Returns the files of the assets in the register of a store.
    fileprivate func assetFiles() throws(ServerError) -> [CopiedAsset] {
      var files: [CopiedAsset] = []
      try StoreTables.eachAssetFile(on: connection) { (file, size, checksum) in
        files.append(CopiedAsset(file: file, sizeBytes: size, checksum: checksum))
      }
      return files
    }
  }
#endif
