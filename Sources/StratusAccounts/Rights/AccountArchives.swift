public import StratusDomain
import StratusWire

/// Exports accounts as tar archives, and imports the archives.
public struct AccountArchives: Sendable {
  /// The lifetime of a cursor and of an import's session. Choice: an archive of a terabyte takes
  /// some hours.
  private static let lifetimeMilliseconds: Int64 = 24 * 3_600_000
  /// The maximum number of entries of the audit log in an export. Choice: far more than an account
  /// gets in the retention time.
  private static let entriesMax = 10_000
  /// The maximum number of successive steps without a result in one call of ``piece(of:_:)``, so
  /// that no request takes long.
  private static let emptyStepsMax = 20

  let accounts: Accounts
  private let exporter: UserExport
  private let importer: UserImport
  private let stores: any StoreCatalog
  private let hasStore: @Sendable (StoreAddress) -> Bool
  private let version: String

  /// - Parameters:
  ///   - exporter: reads the data of one user from one store.
  ///   - importer: writes the data of one user into one store.
  ///   - hasStore: whether a store exists. Missing stores are not created.
  ///   - version: the server's version, which the archive names.
  public init(
    accounts: Accounts, exporter: UserExport, importer: UserImport, stores: any StoreCatalog,
    hasStore: @escaping @Sendable (StoreAddress) -> Bool, version: String
  ) {
    self.accounts = accounts
    self.exporter = exporter
    self.importer = importer
    self.stores = stores
    self.hasStore = hasStore
    self.version = version
  }

  // Export

  /// Begins an export.
  func begin(_ account: Account) -> ExportPosition {
    ExportPosition(accountID: account.id, begunAt: accounts.ambient.now())
  }

  /// Returns the next bytes of an archive, and moves the position. The bytes may be empty before
  /// the end of the archive.
  ///
  /// - Returns: whether the archive is complete after these bytes.
  func piece(
    of account: Account, _ position: inout ExportPosition
  ) async throws(ServerError) -> (bytes: [UInt8], isLast: Bool) {
    if position.file == 1 {
      return (try await facts(of: account, &position), false)
    }
    var steps = 0
    while steps < Self.emptyStepsMax {
      steps += 1
      guard let address = try await store(of: &position) else {
        return (file("end.jsonl", [.end], &position) + TarHeader.end, true)
      }
      let user = try await accounts.knownUser(account.id, in: address.container)
      let store = try await stores.store(at: address)
      let place = "\(address.container)/\(address.environment.rawValue)"
      switch try await exporter.next(of: user, in: store, at: address, &position) {
      case nil: try await leave(address, &position)
      case .nothing?: continue
      case .lines(let lines, let isPublic)?:
        let folder = isPublic ? "public" : "private"
        let name = "\(place)/\(folder)/\(Self.number(position.file)).jsonl"
        return (file(name, lines, &position), false)
      case .asset(let checksum, let size, let offset, let bytes)?:
        let head =
          offset == 0
          ? TarHeader.file(
            path: "\(place)/assets/\(checksum)", size: size, time: position.begunAt / 1_000) : []
        let isLast = offset + Int64(bytes.count) == size
        return (head + bytes + (isLast ? TarHeader.padding(size) : []), false)
      }
    }
    return ([], false)
  }

  /// The bytes of a whole archive, for the download on the account page. If something fails, the
  /// stream ends without the last line of the archive.
  func stream(
    of account: Account, report: @escaping @Sendable (ServerError) -> Void
  ) -> AsyncStream<[UInt8]> {
    let state = ArchiveStream(archives: self, account: account, report: report)
    return AsyncStream(unfolding: { await state.next() })
  }

  /// Returns the store to export, or nil if all are complete.
  private func store(
    of position: inout ExportPosition
  ) async throws(ServerError) -> StoreAddress? {
    if let container = position.containerID, let environment = position.environment {
      let address = StoreAddress(container: container, environment: environment)
      if hasStore(address) { return address }
      // The container was deleted during the export.
      try await leave(address, &position)
      return try await store(of: &position)
    }
    guard position.file == 2, let first = try await addresses().first else { return nil }
    enter(first, &position)
    return first
  }

  private func enter(_ address: StoreAddress, _ position: inout ExportPosition) {
    position.containerID = address.container
    position.environment = address.environment
    position.section = .user
    (position.zoneName, position.isInZone) = (nil, false)
    (position.asset, position.assetOffset) = (nil, nil)
  }

  /// Moves to the next store.
  private func leave(
    _ address: StoreAddress, _ position: inout ExportPosition
  ) async throws(ServerError) {
    let next = try await addresses().first {
      ($0.container, $0.environment.rawValue) > (address.container, address.environment.rawValue)
    }
    if let next { return enter(next, &position) }
    (position.containerID, position.environment) = (nil, nil)
    // NB: the number of the next file is greater than 2 from now on, so no store begins again.
    position.file = max(position.file, 3)
  }

  private func addresses() async throws(ServerError) -> [StoreAddress] {
    try await accounts.registry.containers().sorted().flatMap { container in
      [ContainerEnvironment.development, .production].map {
        StoreAddress(container: container, environment: $0)
      }
    }.filter(hasStore)
  }

  private static func number(_ number: Int64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
  }

  private func file(
    _ path: String, _ lines: [ArchiveLine], _ position: inout ExportPosition
  ) -> [UInt8] {
    position.file += 1
    var contents: [UInt8] = []
    for line in lines { contents += line.jsonBytes + [UInt8(ascii: "\n")] }
    let size = Int64(contents.count)
    return TarHeader.file(path: path, size: size, time: position.begunAt / 1_000) + contents
      + TarHeader.padding(size)
  }

  /// The facts about the account itself.
  ///
  /// NB: they contain no secrets: neither hashes of passwords nor keys nor tokens.
  private func facts(
    of account: Account, _ position: inout ExportPosition
  ) async throws(ServerError) -> [UInt8] {
    let (registry, id) = (accounts.registry, account.id)
    var notes = [
      ArchiveNote(
        "export", ["version": version],
        numbers: ["format": ArchiveLine.format, "begunAt": position.begunAt]),
      ArchiveNote(
        "account", ["email": account.email],
        numbers: ["restricted": account.isRestricted ? 1 : 0]),
    ]
    let profile = try await registry.profile(ofAccount: id)
    notes.append(
      ArchiveNote(
        "profile",
        [
          "givenName": profile.name?.given, "familyName": profile.name?.family,
          "discoverability": profile.discoverability.rawValue,
        ]))
    for phone in try await registry.phones(ofAccount: id) {
      notes.append(ArchiveNote("phone", ["number": phone.number, "issuer": phone.issuer]))
    }
    if let password = try await registry.password(ofAccount: id) {
      notes.append(ArchiveNote("password", numbers: ["changedAt": password.changedAt]))
    }
    for passkey in try await registry.passkeys(ofAccount: id) {
      notes.append(
        ArchiveNote(
          "passkey", ["name": passkey.name],
          numbers: ["createdAt": passkey.createdAt, "lastUsedAt": passkey.lastUsedAt]))
    }
    if let factor = try await registry.factor(ofAccount: id) {
      notes.append(ArchiveNote("secondFactor", numbers: ["createdAt": factor.createdAt]))
    }
    for link in try await registry.providerLinks(ofAccount: id) {
      notes.append(
        ArchiveNote(
          "providerLink", ["issuer": link.issuer, "email": link.email],
          numbers: ["createdAt": link.createdAt]))
    }
    for address in try await registry.addresses(ofAccount: id) {
      notes.append(
        ArchiveNote(
          "address", ["email": address.email], numbers: ["confirmedAt": address.confirmedAt]))
    }
    for session in try await registry.sessions(ofAccount: id) {
      notes.append(
        ArchiveNote(
          "session",
          [
            "containerID": session.store.container,
            "environment": session.store.environment.rawValue,
          ], numbers: ["createdAt": session.createdAt, "lastUsedAt": session.lastUsedAt]))
    }
    for session in try await registry.browserSessions(ofAccount: id) {
      notes.append(
        ArchiveNote(
          "browser", ["name": session.browser],
          numbers: ["createdAt": session.createdAt, "lastUsedAt": session.lastUsedAt]))
    }
    if let member = try await registry.teamMember(accountID: id) {
      notes.append(
        ArchiveNote("member", ["role": member.role.rawValue], numbers: ["addedAt": member.addedAt]))
    }
    for entry in try await registry.auditEntries(
      ofAccount: id, before: nil, limit: Self.entriesMax)
    {
      notes.append(entry.note)
    }
    return file("account.jsonl", notes.map { .note($0) }, &position)
  }

  // Cursors

  func cursor(of position: ExportPosition) -> String {
    accounts.pageSeal.seal(
      String(decoding: position.jsonBytes, as: UTF8.self), for: .exportCursor)
  }

  /// - Throws: `BAD_REQUEST` if the cursor is not one of this account, or too old.
  func position(_ cursor: String, of account: Account) throws(ServerError) -> ExportPosition {
    guard let text = accounts.pageSeal.open(cursor, for: .exportCursor),
      let position = try? ExportPosition(jsonBytes: Array(text.utf8)),
      position.accountID == account.id,
      accounts.ambient.now() - position.begunAt < Self.lifetimeMilliseconds
    else { throw .badRequest("the export has expired; begin again") }
    return position
  }

  // Import

  /// The text that the later requests of an import send, so that they continue this import.
  func importSession(of account: Account) -> String {
    let position = ExportPosition(accountID: account.id, begunAt: accounts.ambient.now())
    return accounts.pageSeal.seal(
      String(decoding: position.jsonBytes, as: UTF8.self), for: .importSession)
  }

  func isImportSession(_ text: String, of account: Account) -> Bool {
    guard let text = accounts.pageSeal.open(text, for: .importSession),
      let position = try? ExportPosition(jsonBytes: Array(text.utf8))
    else { return false }
    return position.accountID == account.id
      && accounts.ambient.now() - position.begunAt < Self.lifetimeMilliseconds
  }

  func target(
    _ request: ImportAccount.Request, _ account: Account
  ) async throws(ServerError) -> UserImport.Target {
    try await accounts.requireContainer(request.containerID)
    let user = try await accounts.user(account.id, in: request.containerID)
    return UserImport.Target(
      session: UserSession(userRecordName: user, sessionID: "", accountID: account.id),
      address: StoreAddress(container: request.containerID, environment: request.environment),
      formerName: request.formerName)
  }

  func write(
    _ lines: [ArchiveLine], to target: UserImport.Target
  ) async throws(ServerError) -> UserImport.Outcome {
    try await importer.write(lines, to: target)
  }

  func write(
    _ piece: ImportAccount.AssetPiece, to target: UserImport.Target
  ) async throws(ServerError) -> Int64 {
    guard let checksum = [UInt8](hexText: piece.checksum), checksum.count == 32 else {
      throw .badRequest("the name of an asset in the archive is no checksum")
    }
    return try await importer.write(
      piece.bytes, at: piece.offset, ofAsset: checksum, size: piece.size, to: target)
  }
}

/// The state of a download.
private actor ArchiveStream {
  private let archives: AccountArchives
  private let account: Account
  private let report: @Sendable (ServerError) -> Void
  private var position: ExportPosition?

  init(
    archives: AccountArchives, account: Account, report: @escaping @Sendable (ServerError) -> Void
  ) {
    self.archives = archives
    self.account = account
    self.report = report
    position = archives.begin(account)
  }

  func next() async -> [UInt8]? {
    do throws(ServerError) {
      while var place = position {
        // NB: the stream ends when the account is deleted.
        guard try await archives.accounts.registry.account(id: account.id) != nil else { break }
        let (bytes, isLast) = try await archives.piece(of: account, &place)
        position = isLast ? nil : place
        if !bytes.isEmpty { return bytes }
      }
    } catch {
      report(error)
    }
    return nil
  }
}

extension AuditEntry {
  /// The entry in an export.
  fileprivate var note: ArchiveNote {
    let name: String =
      switch actor {
      case .operator: "operator"
      case .member: "member"
      case .user: "user"
      }
    return ArchiveNote(
      "auditEntry",
      [
        "actor": name, "action": action, "containerID": store?.container,
        "environment": store?.environment, "subject": subject,
      ], numbers: ["time": time])
  }
}
