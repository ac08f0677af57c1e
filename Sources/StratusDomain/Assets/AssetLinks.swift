import StratusWire

/// Makes and checks the receipts and URLs for the files of one database in one request.
struct AssetLinks: Sendable {
  /// The lifetime of a receipt.
  ///
  /// NB: the lifetime must be shorter than the grace period of ``SweepAssets``, so that the bytes
  /// are not removed before their receipt expires.
  ///
  /// Choice: Apple does not document the lifetime. Half a day is enough to finish a slow batch of
  /// uploads and then save the records.
  static let receiptMilliseconds: Int64 = 12 * 3_600_000
  /// Time is divided into periods of this length. During a period, the download URL of a file stays
  /// the same, so that caches see the same URL again. The URL is valid until the end of the next
  /// period.
  ///
  /// Choice: Apple does not document the lifetime. An hour is enough, because clients download at
  /// once.
  static let downloadMilliseconds: Int64 = 3_600_000

  let tickets: AssetTickets
  let address: StoreAddress
  let database: DatabaseKey
  /// The server's URL as the caller uses it, e.g. `http://127.0.0.1:8080`.
  let serverURL: String
  /// The time of the request, in milliseconds since 1970 UTC.
  let now: Int64

  func uploadURL(id: String, for user: String) -> String {
    let ticket = UploadTicket(
      address: address, database: database, id: id, user: user, issued: now)
    return serverURL + "/assets/upload/" + tickets.text(ticket)
  }

  /// Returns the URL that downloads a file. It contains no `%`, because some clients percent-encode
  /// the URL again.
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

  /// Returns the file of a receipt, or nil if the receipt is forged, expired, or for another
  /// database.
  func file(provedBy receipt: String) -> WholeFile? {
    guard let receipt = tickets.receipt(receipt), receipt.address == address,
      receipt.database == database, now <= receipt.expires
    else { return nil }
    return receipt.file
  }
}

extension AssetLinks {
  /// Returns the asset with a download URL, as answers contain it.
  func shown(_ asset: Asset) -> Asset {
    var asset = asset
    if let checksum = asset.checksumBytes { asset.downloadURL = downloadURL(checksum: checksum) }
    return asset
  }
}
