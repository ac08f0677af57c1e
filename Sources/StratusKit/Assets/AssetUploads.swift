import Foundation
import StratusTransport
import StratusWire
import Synchronization

/// An asset field of a record that is to be saved.
struct AssetField: Sendable {
  let key: String
  let assets: [CKAsset]
  let isList: Bool
}

/// A file that the server has, with the receipt that allows a save to use it. A file that stays in
/// its field needs no receipt.
struct ShippedAsset: Sendable {
  let wire: Asset
  /// The local file with these bytes; nil if none is known.
  let file: FileIdentity?
}

/// Uploads the files of several saves.
///
/// A file that the server already has is not uploaded again if the server gives a receipt for it. A
/// file that several fields use is uploaded once.
struct AssetUploads {
  /// Identifies a file among the files of all saves.
  struct FileIndex: Hashable, Sendable {
    let save: Int
    let field: Int
    let asset: Int
  }

  private struct Shipment: Sendable {
    let index: FileIndex
    let asset: CKAsset
    let recordID: CKRecord.ID
    let recordType: String
    let fieldName: String
    /// The local file; nil if the file no longer exists.
    let file: FileIdentity?

    /// Whether a field on the server probably contains these bytes. This is true if the asset was
    /// downloaded or uploaded, and its local file has not changed since then or no longer exists.
    var isKnownToServer: Bool {
      guard let held = asset.held else { return false }
      return file == nil || file == held.file
    }

    /// Whether the server already has this file in the field that is being saved.
    func stays(_ held: HeldAsset) -> Bool {
      held.recordID.isEqual(recordID) && held.fieldName == fieldName
    }
  }

  private let database: DatabaseCalls
  private let zoneID: CKRecordZone.ID
  private let isAtomic: Bool
  private let shipments: [Shipment]
  /// The files that the server has, each with its receipt if the save needs one.
  private(set) var shipped: [FileIndex: ShippedAsset] = [:]
  /// The first error of each save that has failed.
  private(set) var errors: [Int: CKError] = [:]

  /// - Parameter isAtomic: whether the saves are atomic. If so, the upload stops at the first
  ///   error, because no record will be saved.
  init(
    of saves: [(record: CKRecord, fields: [AssetField])], to zoneID: CKRecordZone.ID,
    in database: DatabaseCalls, isAtomic: Bool
  ) {
    self.database = database
    self.zoneID = zoneID
    self.isAtomic = isAtomic
    var shipments: [Shipment] = []
    for (save, item) in saves.enumerated() {
      for (field, content) in item.fields.enumerated() {
        for (index, asset) in content.assets.enumerated() {
          shipments.append(
            Shipment(
              index: FileIndex(save: save, field: field, asset: index), asset: asset,
              recordID: item.record.recordID, recordType: item.record.recordType,
              fieldName: content.key, file: asset.fileURL.flatMap(FileIdentity.init(at:))))
        }
      }
    }
    self.shipments = shipments
  }

  private var isOver: Bool { isAtomic && !errors.isEmpty }

  /// Uploads the files. An error that concerns one save is stored in ``errors``.
  ///
  /// - Parameter progress: called with the progress of a save's files. The number is less than 1.
  /// - Throws: an error that concerns all saves.
  mutating func run(
    progress: @escaping @Sendable (_ save: Int, Double) -> Void
  ) async throws(CKError) {
    useKeptReceipts()
    let known = shipments.filter { shipped[$0.index] == nil && $0.isKnownToServer }
    for shipment in shipments where shipment.file == nil && !shipment.isKnownToServer {
      fail(shipment, CKError(uploading: .file(.missing)))
    }
    if isOver { return }
    try await rereference(known)
    if isOver { return }
    let missing = shipments.filter { shipped[$0.index] == nil && errors[$0.index.save] == nil }
    try await upload(missing, progress: progress)
  }

  private mutating func fail(_ shipment: Shipment, _ error: CKError) {
    if errors[shipment.index.save] == nil { errors[shipment.index.save] = error }
  }

  // Files that the server already has.

  private var receiptOrigin: KeptReceipt.Origin? {
    database.path.connection.map { connection in
      // A receipt belongs to the user and does not depend on the device's name.
      var address = connection.address
      address.deviceID = ""
      return KeptReceipt.Origin(
        address: address, scope: database.scope, owner: zoneID.ownerName)
    }
  }

  private var now: Double { database.path.connection?.now ?? 0 }

  private mutating func useKeptReceipts() {
    guard let origin = receiptOrigin else { return }
    for shipment in shipments {
      guard let file = shipment.file, let kept = shipment.asset.receipt,
        kept.isGood(for: file, at: origin, now: now)
      else { continue }
      shipped[shipment.index] = ShippedAsset(wire: kept.wire, file: file)
    }
  }

  private func keepReceipt(_ shippedAsset: ShippedAsset, of asset: CKAsset) {
    guard let origin = receiptOrigin, let file = shippedAsset.file else { return }
    asset.receipt = KeptReceipt(wire: shippedAsset.wire, file: file, origin: origin, made: now)
  }

  private mutating func rereference(_ known: [Shipment]) async throws(CKError) {
    for group in known.grouped(by: { $0.asset.held?.recordID.zoneID }) {
      for start in stride(from: 0, to: group.count, by: Limits.assetsPerRequestMax) {
        try await rereference(
          part: Array(group[start..<min(start + Limits.assetsPerRequestMax, group.count)]))
      }
    }
    // NB: the server may not have a file that it was expected to have. Such a file is uploaded,
    // unless the local file is gone.
    for shipment in known where shipped[shipment.index] == nil && shipment.file == nil {
      if let held = shipment.asset.held, shipment.stays(held) {
        // The server gives no receipts for the files of a list. A file that stays in its field
        // needs no receipt.
        let asset = Asset(fileChecksum: held.checksum, size: held.size)
        shipped[shipment.index] = ShippedAsset(wire: asset, file: nil)
      } else {
        fail(shipment, CKError(uploading: .file(.missing)))
      }
    }
  }

  private mutating func rereference(part: [Shipment]) async throws(CKError) {
    let held = part.compactMap { $0.asset.held }
    let request = RereferenceAssets.Request(
      zoneID: held.first?.recordID.zoneID.wire,
      fields: held.map {
        AssetFieldID(recordName: $0.recordID.recordName, fieldName: $0.fieldName)
      })
    let response: RereferenceAssets.Response
    do throws(CKError) {
      response = try await database.send(RereferenceAssets.self, request)
    } catch {
      if error.concernsOperation { throw error }
      return
    }
    for item in response.items {
      guard case .asset(let asset) = item, asset.receipt != nil else { continue }
      // The checksum decides, because the field may hold another file by now, and the files of a
      // list arrive in no fixed order.
      for shipment in part where shipment.asset.held?.checksum == asset.fileChecksum {
        shipped[shipment.index] = ShippedAsset(wire: asset, file: shipment.file)
      }
    }
  }

  // Files that the server does not have.

  private mutating func upload(
    _ missing: [Shipment], progress: @escaping @Sendable (Int, Double) -> Void
  ) async throws(CKError) {
    let sameFiles = Dictionary(grouping: missing, by: \.file)
    let distinct = missing.grouped { $0.file }.compactMap(\.first)
    let meter = ProgressMeter(missing.map { ($0.index.save, $0.file) }, report: progress)
    for start in stride(from: 0, to: distinct.count, by: Limits.assetsPerRequestMax) {
      if isOver { return }
      let end = min(start + Limits.assetsPerRequestMax, distinct.count)
      let part = Array(distinct[start..<end])
      let addresses = try await addresses(for: part)
      for (shipment, result) in try await send(part, to: addresses, meter) {
        for other in sameFiles[shipment.file] ?? [] {
          switch result {
          case .success(let asset):
            shipped[other.index] = asset
            keepReceipt(asset, of: other.asset)
          case .failure(let error): fail(other, error)
          }
        }
      }
    }
  }

  private func addresses(for part: [Shipment]) async throws(CKError) -> [String] {
    let request = UploadAssets.Request(
      zoneID: zoneID.wire,
      fields: part.map {
        AssetFieldID(
          recordName: $0.recordID.recordName, recordType: $0.recordType, fieldName: $0.fieldName)
      })
    let response = try await database.send(UploadAssets.self, request)
    guard response.targets.count == part.count else { throw CKError.badAnswer }
    return response.targets.map(\.url)
  }

  /// Uploads files, several at a time.
  ///
  /// - Throws: an error that concerns all files, such as a lost network connection.
  private func send(
    _ part: [Shipment], to addresses: [String], _ meter: ProgressMeter
  ) async throws(CKError) -> [(Shipment, Result<ShippedAsset, CKError>)] {
    let isAtomic = isAtomic
    var results: [(Shipment, Result<ShippedAsset, CKError>)] = []
    var failure: CKError?
    await withTaskGroup(of: (Int, Result<ShippedAsset, CKError>).self) { group in
      var waiting = part.indices[...]
      var running = 0
      while true {
        while running < Self.transfersMax, let next = waiting.popFirst() {
          running += 1
          group.addTask { (next, await send(part[next], to: addresses[next], meter)) }
        }
        guard let (index, result) = await group.next() else { return }
        running -= 1
        results.append((part[index], result))
        guard case .failure(let error) = result else { continue }
        if error.concernsOperation { failure = failure ?? error }
        if isAtomic || failure != nil {
          group.cancelAll()
          return
        }
      }
    }
    if let failure { throw failure }
    return results
  }

  /// The maximum number of parallel uploads.
  private static let transfersMax = 4
  /// The maximum number of times that an upload is repeated with a new address.
  private static let renewalsMax = 3

  private func send(
    _ shipment: Shipment, to first: String, _ meter: ProgressMeter
  ) async -> Result<ShippedAsset, CKError> {
    guard let connection = database.path.connection, let url = shipment.asset.fileURL else {
      return .failure(CKError.noContainer)
    }
    do throws(CKError) {
      var address = first
      var renewals = 0
      while true {
        do throws(TransferFailure) {
          let file = try Self.open(url)
          let asset = try await connection.upload(file, to: address, options: database.options) {
            meter.note($0, of: shipment.file)
          }
          return .success(ShippedAsset(wire: asset, file: file.identity))
        } catch {
          guard case .addressExpired = error, renewals < Self.renewalsMax else {
            throw CKError(uploading: error)
          }
          renewals += 1
          address = try await addresses(for: [shipment])[0]
        }
      }
    } catch {
      return .failure(error)
    }
  }

  private static func open(_ url: URL) throws(TransferFailure) -> OutgoingFile {
    do { return try OutgoingFile(url) } catch { throw .file(error) }
  }
}

/// Adds up the upload progress of each save.
private final class ProgressMeter: Sendable {
  private let saves: [FileIdentity?: Set<Int>]
  private let totals: [Int: Int64]
  private let files: [Int: Set<FileIdentity?>]
  private let sent = Mutex<[FileIdentity?: Int64]>([:])
  private let report: @Sendable (Int, Double) -> Void

  init(
    _ parts: [(save: Int, file: FileIdentity?)], report: @escaping @Sendable (Int, Double) -> Void
  ) {
    saves = Dictionary(grouping: parts, by: \.file).mapValues { Set($0.map(\.save)) }
    files = Dictionary(grouping: parts, by: \.save).mapValues { Set($0.map(\.file)) }
    totals = files.mapValues { $0.reduce(0) { $0 + ($1?.size ?? 0) } }
    self.report = report
  }

  func note(_ bytes: Int64, of file: FileIdentity?) {
    let sent = sent.withLock { sent in
      sent[file] = bytes
      return sent
    }
    for save in saves[file] ?? [] {
      let done = (files[save] ?? []).reduce(0) { $0 + (sent[$1] ?? 0) }
      report(save, Double(done) / Double(max(1, totals[save] ?? 1)) * progressBeforeEnd)
    }
  }
}
