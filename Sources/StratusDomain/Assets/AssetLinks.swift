import StratusWire

/// Makes and checks what is said about the files of one database in one request: receipts, and the
/// URLs where bytes go and come from.
struct AssetLinks: Sendable {
  /// NB: shorter than any sensible grace of the sweep, so that bytes outlive their receipts.
  ///
  /// Choice: Apple does not say; half a day lets a slow batch of uploads end before its save.
  static let receiptMilliseconds: Int64 = 12 * 3_600_000
  /// A download URL is good for one to two of these. It changes only at full ones, so that caches
  /// know it again.
  ///
  /// Choice: Apple does not say how long; clients fetch at once.
  static let downloadMilliseconds: Int64 = 3_600_000

  let tickets: AssetTickets
  let address: StoreAddress
  let database: DatabaseKey
  /// What the caller calls the server, e.g. `http://127.0.0.1:8080`.
  let serverURL: String
  /// Milliseconds since 1970 UTC.
  let now: Int64

  func uploadURL(id: String, for user: String) -> String {
    let ticket = UploadTicket(
      address: address, database: database, id: id, user: user, issued: now)
    return serverURL + "/assets/upload/" + tickets.text(ticket)
  }

  /// Holds no `%`, since some clients encode it once more (wire-quirks B22).
  func downloadURL(checksum: [UInt8]) -> String {
    let period = Self.downloadMilliseconds
    let ticket = DownloadTicket(
      address: address, checksum: checksum, expires: (now / period + 2) * period)
    return serverURL + "/assets/download/" + tickets.text(ticket)
  }

  func receipt(for file: WholeFile) -> String {
    tickets.text(
      AssetReceipt(
        address: address, database: database, file: file, expires: now + Self.receiptMilliseconds))
  }

  /// What a receipt proves; nil: nothing, here and now.
  func file(provedBy receipt: String) -> WholeFile? {
    guard let receipt = tickets.receipt(receipt), receipt.address == address,
      receipt.database == database, now <= receipt.expires
    else { return nil }
    return receipt.file
  }
}

extension AssetLinks {
  /// A file as an answer shows it.
  func shown(_ asset: Asset) -> Asset {
    var asset = asset
    if let checksum = asset.checksumBytes { asset.downloadURL = downloadURL(checksum: checksum) }
    return asset
  }
}
