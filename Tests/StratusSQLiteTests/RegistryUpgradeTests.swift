import Foundation
import StoreTestSupport
import StratusDomain
import StratusWire
import Testing

@testable import StratusSQL
@testable import StratusSQLite

/// Upgrades a registry file of the first version of Stratus.
@Suite struct `A registry of layout 1` {
  private static let token = String(repeating: "0a", count: 32)

  private func make(in url: URL) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try SQLiteShell(path: url.appendingPathComponent("server.sqlite").path).write(
      """
      CREATE TABLE registry (layout BIGINT NOT NULL);
      INSERT INTO registry VALUES (1);
      CREATE TABLE accounts (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE,
        disabled BIGINT NOT NULL);
      CREATE TABLE containers (id TEXT PRIMARY KEY);
      CREATE TABLE api_tokens (token TEXT PRIMARY KEY, container TEXT NOT NULL,
        environment TEXT NOT NULL);
      CREATE TABLE sessions (id TEXT PRIMARY KEY, account TEXT NOT NULL,
        container TEXT NOT NULL, environment TEXT NOT NULL);
      CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);
      INSERT INTO accounts VALUES ('1', 'ann@example.org', 0);
      INSERT INTO containers VALUES ('iCloud.org.example');
      INSERT INTO api_tokens VALUES ('\(Self.token)', 'iCloud.org.example', 'development');
      INSERT INTO sessions VALUES ('s1', '1', 'iCloud.org.example', 'development');
      INSERT INTO secrets VALUES ('web auth tokens', x'0102');
      """)
  }

  /// A short digest replaces SHA-256, because these tests cannot import SHA-256.
  private static let upgrade = RegistryTables.Upgrade(
    digest: { [UInt8($0.count), 1, 2, 3, 4, 5, 6, 7, 8] }, now: 1_000, sessionMilliseconds: 90)

  @Test func `an upgraded registry has its data, but no token in clear text`() async throws {
    try await withTemporaryFolder { url in
      try make(in: url)
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      for _ in 0..<2 {
        let registry = try SQLiteRegistry(folder: folder, upgrade: Self.upgrade)
        #expect(try await registry.accounts().map(\.email) == ["ann@example.org"])
        #expect(try await registry.containers() == ["iCloud.org.example"])
        let token = try #require(try await registry.apiToken(hash: [64, 1, 2, 3, 4, 5, 6, 7, 8]))
        #expect(token.id == "4001020304050607")
        #expect(token.store == development)
        #expect(token.allowedOrigins == nil)
        let session = try #require(try await registry.session(id: "s1"))
        #expect(
          session
            == Session(
              id: "s1", accountID: "1", store: development, createdAt: 1_000,
              lastUsedAt: 1_000, endsAt: 1_090))
        #expect(try await registry.earlierSecrets() == ["web auth tokens": [1, 2]])
        #expect(try await registry.sessionsWithoutUser(limit: 9).map(\.accountID) == ["1"])
        await registry.close()
      }
      for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
        let bytes = try Data(contentsOf: url.appendingPathComponent(name))
        #expect(bytes.range(of: Data(Self.token.utf8)) == nil, "\(name)")
      }
    }
  }

  @Test func `a registry of layout 1 is refused if the caller passes no upgrade`() async throws {
    try await withTemporaryFolder { url in
      try make(in: url)
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      #expect(throws: ServerError.self) { try SQLiteRegistry(folder: folder) }
    }
  }
}

/// Upgrades a registry file of a version without server-to-server keys.
@Suite struct `A registry of layout 2` {
  private func make(in url: URL) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try SQLiteShell(path: url.appendingPathComponent("server.sqlite").path).write(
      """
      CREATE TABLE registry (layout BIGINT NOT NULL);
      INSERT INTO registry VALUES (2);
      CREATE TABLE accounts (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE,
        disabled BIGINT NOT NULL);
      CREATE TABLE containers (id TEXT PRIMARY KEY);
      CREATE TABLE api_tokens (hash BLOB NOT NULL PRIMARY KEY, id TEXT NOT NULL UNIQUE,
        container TEXT NOT NULL, environment TEXT NOT NULL, name TEXT NOT NULL, origins TEXT,
        callback TEXT, created_at BIGINT);
      CREATE TABLE sessions (id TEXT PRIMARY KEY, account TEXT NOT NULL,
        container TEXT NOT NULL, environment TEXT NOT NULL, created_at BIGINT NOT NULL,
        last_used_at BIGINT NOT NULL, ends_at BIGINT NOT NULL);
      CREATE TABLE users (container TEXT NOT NULL, name TEXT NOT NULL, account TEXT NOT NULL,
        PRIMARY KEY (container, name), UNIQUE (account, container));
      CREATE TABLE stores (container TEXT NOT NULL, environment TEXT NOT NULL,
        epoch BIGINT NOT NULL, PRIMARY KEY (container, environment));
      CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);
      INSERT INTO accounts VALUES ('1', 'ann@example.org', 1);
      INSERT INTO containers VALUES ('iCloud.org.example');
      INSERT INTO sessions VALUES ('s1', '1', 'iCloud.org.example', 'development', 3, 4, 5);
      """)
  }

  @Test
  func `a registry upgraded from layout 2 has its data and can store server keys`() async throws {
    try await withTemporaryFolder { url in
      try make(in: url)
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      let upgrade = RegistryTables.Upgrade(digest: { $0 }, now: 1_000, sessionMilliseconds: 90)
      let key = ServerKey(
        id: "k", publicKey: [4], store: development, userRecordName: "_key", createdAt: 1)
      for round in 0..<2 {
        let registry = try SQLiteRegistry(folder: folder, upgrade: upgrade)
        #expect(try await registry.accounts().map(\.isDisabled) == [true])
        #expect(try await registry.session(id: "s1")?.endsAt == 5)
        if round == 0 { try await registry.create(key) }
        #expect(try await registry.serverKeys() == [key])
        await registry.close()
      }
    }
  }
}

@Suite struct `A data folder without a registry file` {
  @Test func `a data folder with stores but without a registry file is refused`() async throws {
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 1) { _ = try await $0.store(at: development) }
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      let error = #expect(throws: DataFolderError.self) { try folder.requireRegistry() }
      #expect(error?.description.contains("server.sqlite is missing") == true)
    }
  }

  @Test func `a data folder without stores does not need a registry file`() async throws {
    try await withTemporaryFolder { url in
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      try folder.requireRegistry()
    }
  }
}

@Suite struct `A registry of a newer version` {
  /// The error does not advise to restore a backup, because the newer version's changes would be
  /// lost.
  @Test
  func `a registry of a newer version is refused with the advice to start that version`()
    async throws
  {
    try await withTemporaryFolder { url in
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      try await SQLiteRegistry(folder: folder).close()
      try SQLiteShell(path: url.appendingPathComponent("server.sqlite").path)
        .write("UPDATE registry SET layout = 1000")
      let error = #expect(throws: ServerError.self) { try SQLiteRegistry(folder: folder) }
      #expect(error?.hint == "start that version, or a later one")
    }
  }
}

/// Upgrades registry files of layouts 2 to 15, which lack some tables of the current layout.
@Suite struct `A registry of an earlier layout` {
  /// For each layout, the SQL that removes from a current file the tables and columns that the
  /// layout does not have.
  private static let missing: [Int64: String] = [
    2: "ALTER TABLE registry DROP COLUMN version; DROP TABLE server_keys;" + signIn,
    3: "DROP TABLE server_keys;" + signIn,
    4: signIn,
    5: team,
    6: mail,
    7: steps,
    8: passkeys,
    9: links,
    10: audit,
    11: consents,
    12: removals,
    13: profiles,
    14: addresses,
  ]
  private static let addresses = "DROP TABLE addresses;"
  private static let profiles = "DROP TABLE profiles; DROP TABLE phones;" + addresses
  private static let removals =
    "DROP TABLE account_removals; DROP INDEX IF EXISTS mails_by_recipient;" + profiles
  private static let consents = "DROP TABLE consents; DROP TABLE test_accounts;" + removals
  private static let audit =
    "DROP TABLE audit; ALTER TABLE accounts DROP COLUMN restricted;" + consents
  private static let mail =
    "DROP TABLE mails; DROP TABLE mail_codes; DROP TABLE factors; DROP TABLE recovery_codes;"
    + steps
  private static let steps = "DROP TABLE sign_in_steps;" + passkeys
  private static let passkeys = "DROP TABLE passkeys;" + links
  private static let links = "DROP TABLE provider_links;" + audit
  private static let team = "DROP TABLE team;" + mail
  private static let signIn =
    "DROP TABLE passwords; DROP TABLE browser_sessions; DROP INDEX sessions_by_account;" + team

  private func make(layout: Int64, in url: URL) async throws {
    let folder = try DataFolder(url)
    defer { folder.unlock() }
    let registry = try SQLiteRegistry(folder: folder)
    _ = try await registry.create(Account(id: "1", email: "ann@example.org", isDisabled: false))
    await registry.close()
    let account = layout < 15 ? "ALTER TABLE mail_codes DROP COLUMN account;" : ""
    let missing = Self.missing[layout] ?? ""
    try SQLiteShell(path: url.appendingPathComponent("server.sqlite").path).write(
      """
      DROP TABLE installation; DROP TABLE pending_removals; \(account) \(missing)
      UPDATE registry SET layout = \(layout);
      """)
  }

  @Test(arguments: [2, 14, 15])
  func `an upgraded registry gives the installation an ID that stays`(
    layout: Int64
  ) async throws {
    try await withTemporaryFolder { url in
      try await make(layout: layout, in: url)
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      for id in ["one", "two"] {
        let registry = try SQLiteRegistry(folder: folder)
        #expect(try await registry.installationID(orKeep: id) == "one")
        #expect(try await registry.pendingRemovals() == [])
        await registry.close()
      }
    }
  }

  /// A restore copies the registry of a backup before a server upgrades it.
  @Test func `a registry without an ID of the installation is copied for a new history`()
    async throws
  {
    try await withTemporaryFolder { root in
      let (old, new) = (root.appendingPathComponent("old"), root.appendingPathComponent("new"))
      try await make(layout: 15, in: old)
      try FileManager.default.createDirectory(at: new, withIntermediateDirectories: true)
      try FolderCopy(of: old, in: new, makeEpoch: { 9 }, now: { 1 })
        .copyRegistry(to: .beginAnew, epochs: [:])
      let folder = try DataFolder(new)
      defer { folder.unlock() }
      let registry = try SQLiteRegistry(folder: folder)
      #expect(try await registry.accounts().map(\.id) == ["1"])
      #expect(try await registry.installationID(orKeep: "two") == "two")
      await registry.close()
    }
  }

  @Test(arguments: [11, 12])
  func `an upgraded registry can store names and telephone numbers`(layout: Int64) async throws {
    try await withTemporaryFolder { url in
      try await make(layout: layout, in: url)
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      let registry = try SQLiteRegistry(folder: folder)
      #expect(try await registry.profile(ofAccount: "1") == Profile())
      let profile = Profile(
        name: PersonName(given: "Ann", family: nil), discoverability: .granted)
      try await registry.set(profile, ofAccount: "1")
      try await registry.setPhone("+491", verifiedBy: "https://a", ofAccount: "1")
      #expect(try await registry.profile(ofAccount: "1") == profile)
      #expect(try await registry.phones(ofAccount: "1").map(\.number) == ["+491"])
      await registry.close()
    }
  }

  @Test(arguments: [2, 3, 4, 5, 6, 7])
  func `an upgraded registry can store consents and test accounts`(layout: Int64) async throws {
    try await withTemporaryFolder { url in
      try await make(layout: layout, in: url)
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      let registry = try SQLiteRegistry(folder: folder)
      let consent = StoredConsent(hash: [1], accountID: "1", createdAt: 1, endsAt: 9)
      try await registry.add(consent, max: 1)
      #expect(try await registry.consents(ofAccount: "1", at: 2) == [consent])
      #expect(try await registry.testAccounts() == [])
      await registry.close()
    }
  }

  @Test(arguments: [2, 6, 7, 11, 12])
  func `an upgraded registry can store further addresses of accounts`(
    layout: Int64
  ) async throws {
    try await withTemporaryFolder { url in
      try await make(layout: layout, in: url)
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      let registry = try SQLiteRegistry(folder: folder)
      let code = MailCode(
        hash: [1], purpose: .address, email: "a@example.net", browser: nil, accountID: "1",
        endsAt: 9)
      try await registry.create(code)
      #expect(try await registry.mailCode(hash: [1]) == code)
      let address = ConfirmedAddress(accountID: "1", email: "a@example.net", confirmedAt: 5)
      let outcome = try await registry.confirmAddress(
        codeHash: [1], accountID: "1", countMax: 1, at: 5)
      #expect(outcome == .confirmed(address))
      #expect(try await registry.addresses(ofAccount: "1") == [address])
      await registry.close()
    }
  }

  @Test(arguments: [2, 7, 11, 12])
  func `an upgraded registry can delete accounts`(layout: Int64) async throws {
    try await withTemporaryFolder { url in
      try await make(layout: layout, in: url)
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      let registry = try SQLiteRegistry(folder: folder)
      let removal = AccountRemoval(
        receipt: RemovalReceipt(
          id: "r", accountID: "1", publicRecords: .keep, begunAt: 5))
      let start = try await registry.beginRemoval(
        removal, entry: AuditEntry(time: 5, actor: .operator, action: "accounts/delete"))
      #expect(start == .begun(removal))
      #expect(try await registry.finish(removal, at: 6)?.receipt.endedAt == 6)
      #expect(try await registry.accounts() == [])
      await registry.close()
    }
  }

  @Test(arguments: [2, 3, 4, 5, 6, 7])
  func `an upgraded registry can store mails and second factors`(layout: Int64) async throws {
    try await withTemporaryFolder { url in
      try await make(layout: layout, in: url)
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      let mail = WaitingMail(
        id: "m", recipient: "ann@example.org", subject: "Hello", sealedText: [1], createdAt: 1,
        nextAt: 2)
      let factor = StoredFactor(accountID: "1", sealedSecret: [1], lastStep: 2, createdAt: 3)
      let password = StoredPassword(accountID: "1", hash: "$scrypt$", changedAt: 2)
      for round in 0..<2 {
        let registry = try SQLiteRegistry(folder: folder)
        if round == 0 {
          _ = try await registry.change(to: password, from: nil, endsAppSessions: false)
          _ = try await registry.create(mail, with: nil, within: [])
          _ = try await registry.set(
            factor, recoveryCodes: [[1]], keepingSession: nil, provenBy: "$scrypt$")
        } else {
          let waiting = try await registry.takeMails(dueAt: 2, leaseUntil: 9, limit: 9)
          #expect(waiting.map(\.id) == ["m"])
        }
        #expect(try await registry.factor(ofAccount: "1") == factor)
        await registry.close()
      }
    }
  }

  @Test(arguments: [2, 3, 4, 5])
  func `an upgraded registry has its accounts and stores keys, passwords, sessions and the team`(
    layout: Int64
  ) async throws {
    try await withTemporaryFolder { url in
      try await make(layout: layout, in: url)
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      let key = ServerKey(
        id: "k", publicKey: [4], store: development, userRecordName: "_key", createdAt: 1)
      let password = StoredPassword(accountID: "1", hash: "$scrypt$", changedAt: 2)
      let browser = BrowserSession(
        hash: [1], accountID: "1", createdAt: 1, lastUsedAt: 2, endsAt: 3, isKept: true,
        browser: "a browser")
      for round in 0..<2 {
        let registry = try SQLiteRegistry(folder: folder)
        #expect(try await registry.accounts().map(\.email) == ["ann@example.org"])
        if round == 0 {
          try await registry.create(key)
          _ = try await registry.change(to: password, from: nil, endsAppSessions: false)
          _ = try await registry.create(browser, provenBy: .password(hash: "$scrypt$"), countMax: 9)
          #expect(try await registry.addFirstOwner(accountID: "1", at: 3))
        }
        #expect(try await registry.serverKeys() == [key])
        #expect(try await registry.password(ofAccount: "1") == password)
        #expect(try await registry.browserSessions(ofAccount: "1") == [browser])
        #expect(try await registry.teamMember(accountID: "1")?.role == .owner)
        await registry.close()
      }
    }
  }

  @Test(arguments: [2, 3, 4, 5, 6, 7, 8, 9, 10])
  func `an upgraded registry has unrestricted accounts and an audit log`(
    layout: Int64
  ) async throws {
    try await withTemporaryFolder { url in
      try await make(layout: layout, in: url)
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      let registry = try SQLiteRegistry(folder: folder)
      #expect(try await registry.accounts().map(\.isRestricted) == [false])
      try await registry.append(AuditEntry(time: 5, actor: .user, action: "account-page"))
      let entries = try await registry.auditEntries(ofAccount: nil, before: nil, limit: 9)
      #expect(entries.map(\.time) == [5])
      await registry.close()
    }
  }

  @Test(arguments: [2, 3, 4, 5, 6, 7, 8, 9])
  func `an upgraded registry can store steps of sign-ins, passkeys and links to providers`(
    layout: Int64
  ) async throws {
    try await withTemporaryFolder { url in
      try await make(layout: layout, in: url)
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      let step = SignInStep(kind: .device, hash: [1], sealedState: [2], endsAt: 3)
      let link = ProviderLink(
        issuer: "https://id.example", subject: "s", accountID: "1", email: "", createdAt: 3)
      let passkey = Passkey(
        id: [1], accountID: "1", name: "Phone", publicKey: [2], host: "localhost", signCount: 0,
        isBackupEligible: false, isBackedUp: false, createdAt: 3)
      for round in 0..<2 {
        let registry = try SQLiteRegistry(folder: folder)
        #expect(try await registry.create([step], within: nil, at: 1) == (round == 0))
        #expect(try await registry.signInStep(.device, hash: [1]) == step)
        #expect(try await registry.create(passkey, countMax: 9) == (round == 0))
        #expect(try await registry.passkey(id: [1]) == passkey)
        #expect(
          try await registry.create(link, creating: nil, countMax: 9) == (round == 0))
        #expect(try await registry.providerLinks(ofAccount: "1") == [link])
        await registry.close()
      }
    }
  }

  @Test(arguments: [2, 3, 4, 5])
  func `an upgraded registry counts its changes`(layout: Int64) async throws {
    try await withTemporaryFolder { url in
      try await make(layout: layout, in: url)
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      for version: Int64 in 0..<2 {
        let registry = try SQLiteRegistry(folder: folder)
        #expect(try await registry.version() == version)
        _ = try await registry.setDisabled(true, accountID: "1")
        await registry.close()
      }
    }
  }
}
