import Foundation
import StratusDomain
public import StratusWire

#if Postgres
  import StratusPostgres
  import StratusSQL
  import StratusSQLite
#endif

/// Examines an installation in PostgreSQL without changing it. Nodes may use it at the same time.
public struct PostgresDoctor: Sendable {
  private let place: PostgresPlace
  private let readsAll: Bool
  private let live: Live

  /// - Parameter readsAll: whether large stores and the files of assets are read completely, which
  ///   takes some time.
  public init(_ place: PostgresPlace, readsAll: Bool = false, live: Live = Live()) {
    self.place = place
    self.readsAll = readsAll
    self.live = live
  }

  /// Returns all findings: first the problems, and then the notes.
  public func findings() async -> [Finding] {
    var all: [Finding] = []
    #if Postgres
      all += postgresFindings()
    #else
      all.append(
        .problem(
          "postgres-unsupported", "this program cannot use PostgreSQL",
          fix: "build it with 'swift build --traits Postgres'"))
    #endif
    all += folderFindings()
    if let assets = place.assets {
      all += await assets.findings(installationID: installationID, live: live)
    } else if let bucket = place.assetsPlace {
      all.append(.note("s3-unread", "\(bucket) was not checked; --assets does so"))
    }
    return Doctor.sorted(all)
  }

  /// The ID of the installation, or nil if it has none or PostgreSQL cannot be reached.
  private var installationID: String? {
    #if Postgres
      let found = try? InstallationCopy.installation(
        at: place.url, schema: place.schema, live: live)
      guard let found else { return nil }
      defer { found.close() }
      return try? found.installationID()
    #else
      return nil
    #endif
  }

  /// Examines the shared folder and the data folder.
  private func folderFindings() -> [Finding] {
    guard FileManager.default.fileExists(atPath: place.shared.path) else {
      return [
        .problem(
          "shared-missing", "there is no shared folder \(place.shared.path)",
          fix: "give the shared folder of the servers with --shared")
      ]
    }
    var all = Doctor.keyFindings(in: place.shared, hasData: true)
    for path in Set([place.shared.path, place.data.path]).sorted()
    where FileManager.default.fileExists(atPath: path) {
      all += FolderModes(URL(fileURLWithPath: path)).findings()
    }
    all += BackupFindings(folder: place.shared, now: live.ambient.now()).findings()
    all += Doctor.diskFindings(place.shared, name: "shared folder")
    return all
  }
}

#if Postgres
  extension PostgresInstallation: StoreInspection {}

  extension PostgresDoctor {
    /// The difference between two clocks that is reported, in milliseconds. Choice: the clocks of
    /// machines that get their time from the network differ by much less.
    private static let clockSlack: Int64 = 2_000
    /// The earliest version of PostgreSQL with which the server was tested.
    private static let earliestVersion: Int64 = 150_000
    /// The size up to which a store is always read completely. See ``FolderInspection``.
    private static let wholeSizeBytesMax: Int64 = 268_435_456

    /// NB: the method blocks the thread.
    private func postgresFindings() -> [Finding] {
      let installation: PostgresInstallation
      do throws(BackupFailure) {
        installation = try InstallationCopy.installation(
          at: place.url, schema: place.schema, live: live)
      } catch {
        return [
          .problem(
            "postgres-unreachable", error.description,
            fix: "check the address of --postgres, and that PostgreSQL runs and accepts writes")
        ]
      }
      defer { installation.close() }
      do throws(ServerError) {
        let before = live.ambient.now()
        let cluster = try installation.clusterState()
        let findings = clockFindings(cluster.clock, from: before, to: live.ambient.now())
        let upgrades = upgradeFindings(try installation.unfinishedUpgrades())
        return findings + clusterFindings(cluster) + nodeFindings(cluster) + upgrades
          + storeFindings(cluster, in: installation)
      } catch {
        return [unreadable("PostgreSQL at \(installation.shown)", error)]
      }
    }

    private func unreadable(_ what: String, _ error: ServerError) -> Finding {
      .problem(
        "postgres-unreadable", BackupFailure(error, what: what, verb: "examined").description,
        fix: error.hint ?? "check the address of --postgres, and read the log of PostgreSQL")
    }

    private func clockFindings(_ clock: Int64, from before: Int64, to after: Int64) -> [Finding] {
      let difference = max(before - clock, clock - after)
      if difference <= Self.clockSlack { return [] }
      let direction = before > clock ? "ahead of" : "behind"
      return [
        .problem(
          "clock-differs",
          "the clock of this machine is \(difference / 1_000) s \(direction) that of PostgreSQL",
          fix: "let both machines get their time from the network")
      ]
    }

    private func clusterFindings(
      _ cluster: PostgresInstallation.ClusterState
    ) -> [Finding] {
      var findings: [Finding] = []
      if cluster.serverVersion < Self.earliestVersion {
        findings.append(
          .problem(
            "postgres-old", "PostgreSQL has version \(cluster.serverVersion / 10_000)",
            fix: "use PostgreSQL 15 or later"))
      }
      if cluster.standbysCount > 0, !cluster.isSynchronous {
        findings.append(
          .problem(
            "replication-asynchronous", "commits in PostgreSQL do not wait for a standby",
            fix: "set synchronous_standby_names, for example to 'ANY 1 (*)'; otherwise all change "
              + "tokens expire with each failover"))
      } else if cluster.standbysCount == 0, cluster.isSynchronous {
        findings.append(
          .problem(
            "standby-missing", "commits in PostgreSQL wait for a standby, and none is connected",
            fix: "start a standby; writes wait until it is connected"))
      } else if cluster.standbysCount == 0 {
        findings.append(
          .note("standby-none", "PostgreSQL has no standby, so its disk has the only copy"))
      }
      if cluster.hasLaterTimeline {
        findings.append(
          .problem(
            "timeline-earlier",
            "PostgreSQL is on timeline \(cluster.timeline), but nodes were on a later one, whose "
              + "writes are lost",
            fix: "let all change tokens expire, as after a restore: docs/guide/scale.md, Backups"))
      } else if !cluster.isTimelineKnown {
        findings.append(
          .note(
            "timeline-new",
            "no node was on timeline \(cluster.timeline) of PostgreSQL yet; if writes may be "
              + "lost, the first node lets all change tokens expire"))
      }
      let (found, known) = (cluster.registryLayout, RegistryTables.layout)
      return findings + layoutFindings(found, known: known, "the registry", name: "registry")
    }

    private func layoutFindings(
      _ found: Int64?, known: Int64, _ what: String, name: String
    ) -> [Finding] {
      guard let found else {
        return Doctor.findings(of: .damaged("it has no layout"), what, name: name)
      }
      if found == known { return [] }
      return Doctor.findings(
        of: found > known
          ? .newer(layout: found, known: known) : .older(layout: found, known: known),
        what, name: name)
    }

    private func nodeFindings(_ cluster: PostgresInstallation.ClusterState) -> [Finding] {
      var findings = cluster.silentNodes.map { node in
        Finding.problem(
          "node-silent",
          "the node \(node.name) had its last heartbeat at \(UTCTime.text(node.seenAt))",
          fix: "start the node again; the next node that starts removes the old entry")
      }
      if cluster.nodes.isEmpty { findings.append(.note("stopped", "no node runs")) }
      let versions = Set(cluster.nodes.map(\.version)).sorted()
      if versions.count > 1 {
        findings.append(
          .problem(
            "nodes-differ", "nodes of different versions run: \(versions.joined(separator: ", "))",
            fix: "replace the nodes of the earlier version one after the other, or stop all nodes, "
              + "and start them with the same version"))
      }
      return findings
    }

    private func upgradeFindings(_ list: PostgresUpgradeList) -> [Finding] {
      var findings = list.upgrades.map { progress in
        Finding.note("upgrade-unfinished", UpgradeItem(progress).sentence)
      }
      let further = list.count - Int64(list.upgrades.count)
      if further > 0 {
        findings.append(
          .note("upgrade-unfinished", "\(further) further stores are being upgraded"))
      }
      return findings
    }

    private func storeFindings(
      _ cluster: PostgresInstallation.ClusterState, in installation: PostgresInstallation
    ) -> [Finding] {
      var lacks: [LackItem] = []
      var findings: [Finding] = []
      let known: [StoreAddress: Int64]
      let damages: [StoreAddress: String]
      do throws(ServerError) {
        known = try installation.knownStores()
        damages = try installation.damagedStores()
      } catch {
        return [unreadable("the registry", error)]
      }
      findings += damages.sorted { $0.key.title < $1.key.title }.map { address, reason in
        Finding.problem(
          "tables-damaged",
          "\(Doctor.name(of: address)) is damaged, so its requests fail: \(reason)",
          fix: "stop all nodes, restore its tables from a backup, and start the nodes")
      }
      for address in known.keys.filter({ !cluster.stores.contains($0) })
        .sorted(by: { $0.title < $1.title })
      {
        findings.append(missing(address))
      }
      for address in cluster.stores {
        do throws(ServerError) {
          guard let state = try installation.state(ofStore: address) else { continue }
          findings += tableFindings(state, of: address, epoch: known[address])
          guard state.layout == StoreTables.layout else { continue }
          if address.environment == .production {
            lacks += try installation.lackCounts(ofStore: address).map {
              LackItem($0, of: address.container)
            }
          }
          findings += contentFindings(state, of: address, in: installation)
        } catch {
          findings.append(unreadable(Doctor.name(of: address), error))
        }
      }
      return Doctor.findings(of: lacks) + findings
    }

    private func missing(_ address: StoreAddress) -> Finding {
      .problem(
        "store-missing", "\(Doctor.name(of: address)) has no tables",
        fix: "stop all nodes, and restore the installation from a backup")
    }

    /// Examines the tables and indexes of a store, without the rows.
    private func tableFindings(
      _ state: PostgresInstallation.StoreState, of address: StoreAddress, epoch: Int64?
    ) -> [Finding] {
      guard state.layout != nil else { return [missing(address)] }
      let name = Doctor.name(of: address)
      var findings = layoutFindings(
        state.layout, known: StoreTables.layout, name, name: "store")
      if let epoch, let found = state.epoch, found != epoch {
        findings.append(
          .problem(
            "store-replaced", "\(name) is not the one that the nodes wrote",
            fix: "stop all nodes, and restore the installation from a backup"))
      }
      if let first = state.invalidIndexes.first {
        findings.append(
          .problem(
            "index-invalid",
            "\(name) has incomplete indexes: \(state.invalidIndexes.count), the first \(first)",
            fix: "run REINDEX SCHEMA \"\(state.schema)\" in PostgreSQL"))
      }
      if let first = state.missingSettings.first {
        findings.append(
          .problem(
            "statistics-settings",
            "\(name) lacks settings of columns, so large zones are slow: "
              + "\(state.missingSettings.count)",
            fix: "run '\(first)' and the like for the others in PostgreSQL, and then ANALYZE"))
      }
      if let first = state.tablesWithoutStatistics.first {
        findings.append(
          .problem(
            "statistics-missing",
            "\(name) has tables without statistics, so requests are slow: "
              + "\(state.tablesWithoutStatistics.count), the first \(first)",
            fix: "run ANALYZE in PostgreSQL"))
      }
      return findings
    }

    /// Examines the rows of a store, and the files of its assets.
    private func contentFindings(
      _ state: PostgresInstallation.StoreState, of address: StoreAddress,
      in installation: PostgresInstallation
    ) -> [Finding] {
      if !readsAll, state.sizeBytes > Self.wholeSizeBytesMax {
        return [
          .note(
            "store-unread",
            "\(Doctor.name(of: address)) is large and was not read as a whole; --thorough does so")
        ]
      }
      return StoreFindings(
        folder: place.assetsPlace == nil ? place.shared : nil, inspection: installation,
        address: address, now: live.ambient.now(), readsFiles: readsAll,
        unreadableFix: "run the doctor again, and read the log of PostgreSQL"
      ).findings()
    }
  }
#endif
