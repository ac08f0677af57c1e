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

  /// Returns the URL that downloads a file. If it leads to this server, it contains no `%`, because
  /// some clients percent-encode the URL again.
  ///
  /// - Parameter files: finds the file if URLs may lead to the storage. If it is nil, or if the
  ///   storage has no URL of at most ``AnswerBudget/urlBytesMax`` bytes, the URL leads to this
  ///   server.
  func downloadURL(
    checksum: [UInt8], files: (any AssetReading)?
  ) throws(ServerError) -> String {
    let start = now / Self.downloadMilliseconds * Self.downloadMilliseconds
    let end = start + 2 * Self.downloadMilliseconds
    if let direct = tickets.direct, let files, let known = try files.asset(checksum: checksum),
      let url = direct.downloadURL(ofFile: known.file, at: address, from: start, until: end),
      url.utf8.count <= AnswerBudget.urlBytesMax
    {
      return url
    }
    let ticket = DownloadTicket(address: address, checksum: checksum, expires: end)
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
  ///
  /// - Parameter files: see ``downloadURL(checksum:files:)``.
  func shown(_ asset: Asset, files: (any AssetReading)?) throws(ServerError) -> Asset {
    var asset = asset
    if let checksum = asset.checksumBytes {
      asset.downloadURL = try downloadURL(checksum: checksum, files: files)
    }
    return asset
  }
}
