import Foundation
import StratusTransport
import StratusWire

/// Whether a single record or the whole operation fails if a download fails with an error that
/// concerns all files, such as a lost connection or a full disk.
enum FileLoss {
  /// Only the file's record fails; the other records are delivered.
  case record
  /// The operation fails, because a change token must not skip a record that was not delivered.
  case operation
}

/// The maximum number of parallel downloads.
private let transfersMax = 4
/// The maximum number of times that a download is repeated with a new address.
private let renewalsMax = 3

extension DatabaseCalls {
  /// Fetches the files of a response's records, several at a time. The records are delivered in
  /// order, each after its files have arrived.
  ///
  /// - Parameters:
  ///   - record: returns the record of an item; nil if the item has none.
  ///   - progress: called with the progress of an item's files. The number is less than 1.
  ///   - deliver: called with an item, and with an error if the item's files are not available.
  /// - Throws: an error that concerns all files, such as a lost connection, but only if `loss` is
  ///   `operation`.
  func fetchFiles<Item: Sendable>(
    of items: [Item], losing loss: FileLoss, record: (Item) -> CKRecord?,
    progress: @escaping @Sendable (Item, Double) -> Void = { _, _ in },
    deliver: (Item, CKError?) -> Void
  ) async throws(CKError) {
    let awaited = items.map { record($0)?.awaitedAssets ?? [] }
    let failure = await withTaskGroup(of: (Int, CKError?).self, returning: CKError?.self) { group in
      var waiting = awaited.indices.filter { !awaited[$0].isEmpty }[...]
      var outcomes: [Int: CKError?] = [:]
      var running = 0
      for (index, item) in items.enumerated() {
        while !awaited[index].isEmpty && outcomes[index] == nil {
          while running < transfersMax, let next = waiting.popFirst() {
            running += 1
            group.addTask {
              (next, await fetchFiles(awaited[next]) { progress(items[next], $0) })
            }
          }
          guard let (done, error) = await group.next() else { return CKError.badAnswer }
          running -= 1
          outcomes[done] = .some(error)
        }
        let error = outcomes[index] ?? nil
        if case .operation = loss, let error, error.concernsOperation || error.concernsAllFiles {
          group.cancelAll()
          return error
        }
        deliver(item, error)
      }
      return nil
    }
    if let failure { throw failure }
  }

  /// Fetches the files of one record.
  private func fetchFiles(
    _ assets: [CKAsset], progress: @escaping @Sendable (Double) -> Void
  ) async -> CKError? {
    let total = Double(max(1, assets.reduce(0) { $0 + ($1.held?.size ?? 0) }))
    var done: Int64 = 0
    for asset in assets {
      do throws(CKError) {
        let before = done
        try await fetchFile(asset) { progress(Double(before + $0) / total * progressBeforeEnd) }
        done += asset.held?.size ?? 0
      } catch {
        return error
      }
    }
    return nil
  }

  private func fetchFile(
    _ asset: CKAsset, progress: @escaping @Sendable (Int64) -> Void
  ) async throws(CKError) {
    guard let connection = path.connection, let held = asset.held,
      let checksum = FileChecksum.bytes(held.checksum)
    else { throw CKError(.assetNotAvailable) }
    let url = try await path.assets.file(checksum: checksum, size: held.size) {
      (file: IncomingFile) async throws(CKError) in
      var address = held.downloadURL
      var renewals = 0
      while true {
        do throws(TransferFailure) {
          guard let address else { throw .addressExpired }
          return try await connection.download(
            file, from: address, options: options, progress: progress)
        } catch {
          guard case .addressExpired = error, renewals < renewalsMax else {
            throw CKError(downloading: error)
          }
          renewals += 1
          address = try await renewedAddress(of: held)
        }
      }
    }
    asset.receive(url)
  }

  /// Fetches the record again to get a new download address for its file.
  private func renewedAddress(of held: HeldAsset) async throws(CKError) -> String? {
    let request = LookupRecords.Request(
      zoneID: held.recordID.zoneID.wire, recordNames: [held.recordID.recordName],
      selection: FieldSelection(desiredKeys: [held.fieldName]))
    let response = try await send(LookupRecords.self, request)
    guard case .record(let dictionary)? = response.records.first else {
      throw CKError(downloading: .addressExpired)
    }
    let record = try RecordFactory.record(wire: dictionary, naming: try await naming())
    let asset = record.awaitedAssets.first { $0.held?.checksum == held.checksum }
    guard let address = asset?.held?.downloadURL else {
      throw CKError(downloading: .addressExpired)
    }
    return address
  }
}

/// The progress of a record when all its files are transferred. The progress becomes 1 when the
/// record itself is delivered or saved.
let progressBeforeEnd = 0.99
