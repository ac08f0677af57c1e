public import StratusWire

/// Receives the bytes that clients send to upload URLs.
public struct AssetUploads: Sendable {
  /// One part of a file that a client sends in several parts.
  public struct Piece: Sendable, Hashable {
    /// The offset of the piece's first byte in the file.
    public var first: Int64
    /// The offset of the piece's last byte in the file.
    public var last: Int64
    /// The size of the whole file in bytes.
    public var total: Int64

    public init(first: Int64, last: Int64, total: Int64) {
      self.first = first
      self.last = last
      self.total = total
    }

    var isLast: Bool { last + 1 == total }
  }

  /// The result of receiving bytes.
  public enum Outcome: Sendable {
    case answer(UploadAnswer)
    /// The piece does not begin at the end of the bytes received so far.
    case wrongOffset(received: Int64)
  }

  /// The time that an upload URL stays valid, according to Apple's reference. The time counts from
  /// the creation of the URL, or from the last received byte of an upload that began in time.
  ///
  /// Choice: large files take longer than 15 minutes, so an upload in progress keeps its URL.
  static let quietMilliseconds: Int64 = 15 * 60_000
  /// Choice: an upload URL expires at the latest one day after its creation.
  static let lifetimeMilliseconds: Int64 = 24 * 3_600_000
  /// The asset store gets the bytes in portions of at least this size. Only the last portion of a
  /// request may be smaller.
  static let appendBytes = 262_144

  let stores: any StoreCatalog
  let assets: any AssetStore
  let tickets: AssetTickets
  let ambient: Ambient
  /// Throws if a user's account is disabled or restricted.
  let requireOpenAccount: RequireOpenAccount
  let unheld: UnheldBytes
  /// Lets the uploads of a caller take turns while other callers are active. It is nil if
  /// there is no such limit.
  public var turns: ExpensiveRequests?

  /// See ``requireOpenAccount``.
  public typealias RequireOpenAccount =
    @Sendable (_ user: String, _ container: String) async throws(ServerError) -> Void

  /// If the upload is complete, returns the value that the client can save in the field. Otherwise
  /// returns the number of bytes received.
  ///
  /// - Throws: `NOT_FOUND` if this server did not sign the ticket, `ACCESS_DENIED` if the ticket
  ///   has expired or its user's account is restricted, `AUTHENTICATION_FAILED` if the account is
  ///   disabled.
  public func progress(of ticketText: String) async throws(ServerError) -> UploadAnswer {
    let (ticket, status) = try await admit(ticketText)
    if let answer = try await ended(ticket, status) { return answer }
    return UploadAnswer(received: status.received)
  }

  /// Receives a file, or a piece of a file. If the ticket's file is complete already, the bytes are
  /// ignored, and the answer is the same as before.
  ///
  /// If the connection breaks, the bytes received so far remain, and the client can send the rest
  /// as pieces.
  ///
  /// - Parameters:
  ///   - piece: the part of the file that is sent, or nil if the client sends the whole file at
  ///     once.
  ///   - next: returns the next bytes, or nil after the last ones.
  /// - Throws: the errors of ``progress(of:)`` and of `next`; `BAD_REQUEST` if the number of bytes
  ///   differs from the length of the piece; `QUOTA_EXCEEDED` if the file is larger than the limit,
  ///   or if too many uploaded bytes are not held by any record; `THROTTLED` if too many uploads of
  ///   the user wait.
  public func receive(
    _ ticketText: String, piece: Piece?, next: () async throws(ServerError) -> [UInt8]?
  ) async throws(ServerError) -> Outcome {
    let (ticket, status) = try await admit(ticketText)
    if let answer = try await ended(ticket, status) { return .answer(answer) }
    if let total = piece?.total, total > Limits.assetSizeBytesMax { throw Self.tooLarge }
    let store = try await stores.store(of: ticket.database, at: ticket.address)
    try await unheld.admit(ticket, store: store, now: ambient.now())
    let upload = try await open(ticket, fromNothing: piece == nil)
    do throws(ServerError) {
      if let piece, piece.first != upload.received {
        await upload.close()
        return .wrongOffset(received: upload.received)
      }
      let note = piece.flatMap { $0.isLast ? UploadNote.last(total: $0.total).bytes : nil } ?? []
      if !note.isEmpty || status.note != nil {
        try await assets.note(note, ofUpload: ticket.id, at: ticket.address)
      }
      try await fill(upload, piece, next) { (received) throws(ServerError) in
        try unheld.note(received, of: ticket, now: ambient.now())
      }
      try await requireOpenAccount(ticket.user, ticket.address.container)
    } catch {
      if error.code == .quotaExceeded { await upload.discard() } else { await upload.close() }
      throw error
    }
    if let piece, !piece.isLast {
      await upload.close()
      return .answer(UploadAnswer(received: upload.received))
    }
    return .answer(try await end(upload, of: ticket))
  }

  /// Opens the upload of a ticket, when it is the turn of the ticket's user.
  func open(
    _ ticket: UploadTicket, fromNothing: Bool
  ) async throws(ServerError) -> any AssetUpload {
    let open = { () async throws(ServerError) in
      try await assets.open(upload: ticket.id, at: ticket.address, fromNothing: fromNothing)
    }
    guard let turns else { return try await open() }
    return try await UploadInTurns(
      turns: turns, caller: CallerPace.Subject(userRecordName: ticket.user, apiToken: nil),
      open: open)
  }

  private static let tooLarge = ServerError(.quotaExceeded, Reason.assetTooLarge)

  private func admit(
    _ ticketText: String
  ) async throws(ServerError) -> (UploadTicket, AssetUploadStatus) {
    guard let ticket = tickets.upload(ticketText) else {
      throw ServerError(.notFound, Reason.assetURLUnknown)
    }
    try await requireOpenAccount(ticket.user, ticket.address.container)
    let status = try await assets.status(ofUpload: ticket.id, at: ticket.address)
    let now = ambient.now()
    let end = max(ticket.issued, status.touched ?? 0) + Self.quietMilliseconds
    guard now <= min(end, ticket.issued + Self.lifetimeMilliseconds) else {
      throw ServerError(.accessDenied, Reason.assetURLExpired)
    }
    return (ticket, status)
  }

  /// Returns the answer for an upload that has all its bytes, or nil if the client must still send
  /// bytes.
  private func ended(
    _ ticket: UploadTicket, _ status: AssetUploadStatus
  ) async throws(ServerError) -> UploadAnswer? {
    switch status.note.flatMap(UploadNote.init) {
    case nil: return nil
    case .done(let file):
      let now = ambient.now()
      let store = try await stores.store(of: ticket.database, at: ticket.address)
      let known = try await store.write { (store) throws(ServerError) -> Bool in
        guard var asset = try store.asset(checksum: file.checksum) else { return false }
        asset.touched = now
        _ = try store.register(asset)
        return true
      }
      return known ? answer(file, of: ticket) : nil
    case .last(let total):
      guard status.received == total else { return nil }
      let upload = try await open(ticket, fromNothing: false)
      guard upload.received == total else {
        await upload.close()
        return nil
      }
      return try await end(upload, of: ticket)
    }
  }

  private func fill(
    _ upload: any AssetUpload, _ piece: Piece?,
    _ next: () async throws(ServerError) -> [UInt8]?,
    note: (_ received: Int64) throws(ServerError) -> Void
  ) async throws(ServerError) {
    let end = piece.map { $0.last + 1 } ?? Limits.assetSizeBytesMax
    var heard = upload.received
    var waiting: [UInt8] = []
    var failure: ServerError?
    while true {
      var bytes: [UInt8]?
      do throws(ServerError) { bytes = try await next() } catch { failure = error }
      guard let bytes else { break }
      heard += Int64(bytes.count)
      if heard > end {
        failure = piece == nil ? Self.tooLarge : .badRequest(Reason.assetPieceWrong)
        break
      }
      if waiting.isEmpty { waiting.reserveCapacity(Self.appendBytes + bytes.count) }
      waiting += bytes
      if waiting.count >= Self.appendBytes {
        try note(heard)
        try await upload.append(waiting)
        waiting = []
      }
    }
    if !waiting.isEmpty {
      try note(heard)
      try await upload.append(waiting)
    }
    if let failure { throw failure }
    if piece != nil, heard != end { throw .badRequest(Reason.assetPieceWrong) }
  }

  /// Turns a complete upload into a file, and registers it.
  ///
  /// A crash between the two steps leaves at most an unregistered file, which ``SweepAssets``
  /// removes.
  private func end(
    _ upload: any AssetUpload, of ticket: UploadTicket
  ) async throws(ServerError) -> UploadAnswer {
    let name = ambient.makeUUID()
    let file: WholeFile
    do throws(ServerError) { file = try await upload.finish(as: name) } catch {
      await upload.close()
      throw error
    }
    let asset = StoredAsset(
      checksum: file.checksum, file: name, size: file.size, touched: ambient.now())
    let store = try await stores.store(of: ticket.database, at: ticket.address)
    let kept = try await store.write { (store) throws(ServerError) in
      let kept = try store.register(asset)
      try store.noteUploader(ticket.user, ofAsset: kept.checksum)
      return kept
    }
    unheld.finish(ticket, size: file.size)
    if kept.file != name {
      let isReplaced = try await replaceIfLost(kept, by: asset, in: store, at: ticket.address)
      let spare = isReplaced ? kept.file : name
      try await assets.remove(file: spare, at: ticket.address)
    }
    try await assets.note(
      UploadNote.done(file).bytes, ofUpload: ticket.id, at: ticket.address)
    return answer(file, of: ticket)
  }

  /// Replaces a registered file if its bytes are lost.
  ///
  /// - Returns: whether the register now contains the new file.
  private func replaceIfLost(
    _ kept: StoredAsset, by asset: StoredAsset, in store: any Store, at address: StoreAddress
  ) async throws(ServerError) -> Bool {
    if try await assets.open(file: kept.file, at: address)?.size == kept.size { return false }
    return try await store.write { (store) throws(ServerError) in
      try store.replace(file: kept.file, by: asset)
    }
  }

  private func answer(_ file: WholeFile, of ticket: UploadTicket) -> UploadAnswer {
    let links = AssetLinks(
      tickets: tickets, address: ticket.address, database: ticket.database, serverURL: "",
      now: ambient.now())
    return UploadAnswer(
      singleFile: Asset(
        fileChecksum: Base64.encode(file.checksum), size: file.size,
        receipt: links.receipt(for: file)))
  }
}
