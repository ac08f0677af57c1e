import Foundation
import StratusAssets
import StratusDomain
import StratusSQL
import StratusSQLite
import StratusWire

/// Reads the contents of stores, to examine them.
protocol StoreInspection {
  /// See ``FolderInspection/check(ofStore:)``.
  func check(ofStore address: StoreAddress) throws(ServerError) -> StoreCheck

  /// See ``FolderInspection/eachAssetFile(ofStore:_:)``.
  func eachAssetFile(
    ofStore address: StoreAddress,
    _ body: (_ file: String, _ size: Int64, _ checksum: [UInt8]) throws(ServerError) -> Void
  ) throws(ServerError)
}

extension FolderInspection: StoreInspection {}

/// Examines the contents of one intact store, and the files of its assets.
struct StoreFindings {
  /// The folder with the files of assets, or nil if they are in S3.
  let folder: URL?
  let inspection: any StoreInspection
  let address: StoreAddress
  /// The present time, in milliseconds since 1970 UTC.
  let now: Int64
  /// Whether the contents of asset files are compared with their checksums.
  let readsFiles: Bool
  /// The advice if the store cannot be read.
  var unreadableFix = "stop the server and restore the data folder with 'stratus restore'"

  private var name: String { "the store of \(address.container) (\(address.environment.rawValue))" }

  func findings() -> [Finding] {
    do throws(ServerError) {
      return contradictions(try inspection.check(ofStore: address)) + (try files())
    } catch {
      return [
        .problem(
          "store-unreadable", "\(name) cannot be examined: \(error.reason)",
          fix: unreadableFix)
      ]
    }
  }

  private static let restores =
    "make a backup and report the problem; a restore of an earlier backup repairs it"
  /// The number of milliseconds by which the time of a record may be later than the present time.
  private static let clockSlack: Int64 = 300_000

  private func contradictions(_ check: StoreCheck) -> [Finding] {
    var findings: [Finding] = []
    func wrong(_ count: Int64, _ kind: String, _ what: String) {
      if count == 0 { return }
      findings.append(.problem(kind, "\(name) has \(what): \(count)", fix: Self.restores))
    }
    wrong(check.wrongUsages, "usage-wrong", "zones whose counted bytes are wrong")
    wrong(check.unknownFiles, "assets-unknown", "records with files that are not registered")
    wrong(check.filesHeldUnnoticed, "assets-unheld", "used files that are listed as unused")
    wrong(check.strayEntries, "index-stray", "index entries without a record")
    wrong(check.changesAhead, "changes-ahead", "records that are newer than their zones")
    if check.newestRecordAt > now + Self.clockSlack {
      findings.append(
        .problem(
          "clock-behind",
          "\(name) has a record of \(UTCTime.text(check.newestRecordAt)), which "
            + "lies in the future", fix: "correct the machine's clock"))
    }
    let work = [
      ("deleted zones to remove", check.unpurgedZones), ("cascades", check.cascades),
      ("changes to match with subscriptions", check.outboxEntries),
      ("indexes to build", check.unbuiltIndexes),
    ].filter { $0.1 > 0 }.map { "\($0.0): \($0.1)" }
    if !work.isEmpty {
      findings.append(
        .note(
          "work-unfinished",
          "\(name) has unfinished work, which a server continues: "
            + work.joined(separator: ", ")))
    }
    return findings
  }

  /// Compares the asset files in the folder with the assets that the store lists.
  private func files() throws(ServerError) -> [Finding] {
    guard let folder else { return [] }
    let copy = try AssetCopy(of: address, from: folder, to: folder)
    var known: Set<String> = []
    var damaged: [String] = []
    let readsFiles = readsFiles
    try inspection.eachAssetFile(ofStore: address) {
      (file, size, checksum) throws(ServerError) in
      known.insert(file)
      let asset = CopiedAsset(file: file, sizeBytes: size, checksum: checksum)
      let isGood = try readsFiles ? copy.isIntact(asset) : copy.hasSize(asset)
      if !isGood { damaged.append(file) }
    }
    var findings: [Finding] = []
    if let first = damaged.first {
      findings.append(
        .problem(
          "assets-damaged",
          "\(name) lacks asset files, or they are damaged: \(damaged.count), the first \(first)",
          fix: "copy the files from a backup into the same folder"))
    }
    let orphans = try copy.files().filter { !known.contains($0) }
    if !orphans.isEmpty {
      findings.append(
        .note(
          "assets-orphaned",
          "\(name) has asset files without a row: \(orphans.count); a server removes them after a "
            + "day"))
    }
    return findings
  }
}
