import Foundation
import StratusKit
import StratusTransport

/// The owner's device that saves encrypted values, and sends the complete URLs of shares.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class SharingSealer: @unchecked Sendable {
  private let household: SharingHousehold
  private let seals: SharingSeals
  private let database: CKDatabase

  init(household: SharingHousehold, seals: SharingSeals, life: Life) {
    self.household = household
    self.seals = seals
    database =
      CKContainer(
        identifier: Cloud.container,
        settings: .init(
          environment: .development, webAuthToken: SharingTruth.owner,
          keysFile: household.keysFile(of: SharingTruth.owner)),
        exchange: household.network(of: "owner-device", life, guest: nil),
        timing: Loop.shared.timing
      ).privateCloudDatabase
  }

  private func id(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: CKRecordZone.ID(zoneName: SharingTruth.zone))
  }

  /// Saves new encrypted values in some records, and moves some of them.
  ///
  /// - Parameter names: the names of all records of the owner.
  func save(among names: [String]) async {
    var records: [CKRecord] = []
    var chosen: Set<String> = []
    for _ in 0..<household.number(1...3) {
      guard let name = household.one(of: names), chosen.insert(name).inserted else { continue }
      let text = seals.newText(of: name, in: household.truth)
      guard let record = await fetchedOrNew(name) else { continue }
      record["secret"] = household.newText(of: name)
      record.encryptedValues[SharingSeals.field] = text
      if household.percent(20) {
        record.parent = nil
        if let parent = household.one(of: names.filter { $0 != name }), household.percent(60) {
          record.setParent(id(parent))
        }
      }
      records.append(record)
    }
    let policies: [CKModifyRecordsOperation.RecordSavePolicy] = [
      .ifServerRecordUnchanged, .changedKeys, .allKeys,
    ]
    let saved = try? await database.modifyRecords(
      saving: records, deleting: [], savePolicy: policies[household.number(0...2)])
    for case .success in saved?.saveResults.values.map({ $0 }) ?? [] {
      household.ledger.saw("sealed save")
    }
    household.ledger.say("owner-device: seals values of \(chosen.sorted())")
  }

  private func fetchedOrNew(_ name: String) async -> CKRecord? {
    do {
      return try await database.record(for: id(name))
    } catch {
      guard (error as? CKError)?.code == .unknownItem else { return nil }
      return CKRecord(recordType: "Note", recordID: id(name))
    }
  }

  /// Sends the present URL of a share to the guests.
  func sendURL(of share: String) async {
    guard let record = try? await database.record(for: id(share)) as? CKShare,
      let fragment = record.url?.fragment, let start = fragment.range(of: "~key=")
    else { return }
    seals.secrets.insert(String(fragment[start.upperBound...]))
    household.ledger.saw("URL with a secret")
  }
}
