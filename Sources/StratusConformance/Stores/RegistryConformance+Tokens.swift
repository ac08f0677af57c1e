import StratusDomain
import StratusWire

/// The checks of tokens, sessions, users and stores.
extension RegistryConformance {
  static let token = APIToken(
    id: "0a0b", hash: [0, 1, 255], store: production, name: "Web",
    allowedOrigins: ["https://a.org"], callback: .redirect(url: "app://signed-in"), createdAt: 5)
  static let plain = APIToken(
    id: "0c0d", hash: [2], store: StoreAddress(container: "iCloud.a", environment: .development))
  static let session = Session(
    id: "session", accountID: "1", store: production, createdAt: 1, lastUsedAt: 2, endsAt: 3)

  static func apiTokensAreFound(_ registry: any Registry) async throws {
    for token in [token, plain] {
      try await registry.create(token)
      try expect(try await registry.apiToken(hash: token.hash), token)
    }
    try expect(try await registry.apiToken(hash: [0]), nil)
  }

  static func apiTokensAreDeleted(_ registry: any Registry) async throws {
    for token in [token, plain] { try await registry.create(token) }
    try expect(try await registry.apiTokens(), [plain, token])
    try expect(try await registry.deleteAPIToken(id: token.id), true)
    try expect(try await registry.deleteAPIToken(id: token.id), false)
    try expect(try await registry.apiTokens(), [plain])
    try expect(try await registry.apiToken(hash: token.hash), nil)
  }

  static func sessionsAreFound(_ registry: any Registry) async throws {
    try await registry.create(session)
    try expect(try await registry.session(id: "session"), session)
    var other = session
    other.accountID = "2"
    var isRefused = false
    do {
      try await registry.create(other)
    } catch {
      isRefused = true
    }
    try expect(isRefused, true)
    try expect(try await registry.session(id: "session"), session)
  }

  static func sessionsEnd(_ registry: any Registry) async throws {
    var sessions: [Session] = []
    for (index, times) in [(10, 90), (20, 90), (30, 40)].enumerated() {
      let session = Session(
        id: "s\(index)", accountID: "1", store: production, createdAt: Int64(index),
        lastUsedAt: Int64(times.0), endsAt: Int64(times.1))
      sessions.append(session)
      try await registry.create(session)
    }
    try expect(try await registry.sessions(), sessions)
    try expect(try await registry.sessions(ofAccount: "1"), sessions)
    try expect(try await registry.sessions(ofAccount: "2"), [])
    try await registry.touchSession(id: "s0", at: 50)
    try expect(try await registry.session(id: "s0")?.lastUsedAt, 50)
    // The second session was unused for too long. The third session has reached the end of its
    // lifetime.
    try await registry.deleteSessions(unusedSince: 25, endedBefore: 41)
    try expect(try await registry.sessions().map(\.id), ["s0"])
    try expect(try await registry.deleteSession(id: "s0"), true)
    try expect(try await registry.deleteSession(id: "s0"), false)
    try expect(try await registry.sessions(), [])
  }

  static func usersAreFound(_ registry: any Registry) async throws {
    let ann = ContainerUser(container: "iCloud.a", userRecordName: "_ann", accountID: "1")
    let elsewhere = ContainerUser(container: "iCloud.b", userRecordName: "_ann2", accountID: "1")
    for user in [ann, elsewhere] {
      try await registry.keep(user)
      try expect(
        try await registry.user(named: user.userRecordName, in: user.container), user)
      try expect(try await registry.user(ofAccount: "1", in: user.container), user)
    }
    try await registry.keep(
      ContainerUser(container: "iCloud.a", userRecordName: "_late", accountID: "1"))
    try expect(try await registry.user(ofAccount: "1", in: "iCloud.a"), ann)
    try expect(try await registry.user(named: "_late", in: "iCloud.a"), nil)
    try expect(try await registry.user(named: "_ann", in: "iCloud.b"), nil)
  }

  static func usersAreMissed(_ registry: any Registry) async throws {
    try await registry.create(session)
    var anywhere = session
    (anywhere.id, anywhere.store.container) = ("anywhere", "*")
    try await registry.create(anywhere)
    let missing = try await registry.sessionsWithoutUser(limit: 9)
    try expect(missing.map(\.accountID), ["1"])
    try expect(missing.map(\.container), [production.container])
    try await registry.keep(
      ContainerUser(container: production.container, userRecordName: "_ann", accountID: "1"))
    try expect(try await registry.sessionsWithoutUser(limit: 9).count, 0)
  }

  static func epochsAreKept(_ registry: any Registry) async throws {
    try expect(try await registry.epoch(ofStore: production), nil)
    for epoch: Int64 in [7, -9] {
      try await registry.keep(epoch: epoch, ofStore: production)
      try expect(try await registry.epoch(ofStore: production), epoch)
      try expect(try await registry.storeEpochs(), [production: epoch])
    }
  }

  static func containersAreDeleted(_ registry: any Registry) async throws {
    let id = production.container
    for container in [id, "iCloud.a"] { _ = try await registry.createContainer(id: container) }
    for token in [token, plain] { try await registry.create(token) }
    for key in [serverKey, earlierKey] { try await registry.create(key) }
    try await registry.create(session)
    try await registry.keep(
      ContainerUser(container: id, userRecordName: "_ann", accountID: "1"))
    try await registry.keep(epoch: 7, ofStore: production)
    try expect(try await registry.deleteContainer(id: id), true)
    try expect(try await registry.deleteContainer(id: id), false)
    try expect(try await registry.containers(), ["iCloud.a"])
    try expect(try await registry.apiTokens(), [plain])
    try expect(try await registry.serverKeys(), [earlierKey])
    try expect(try await registry.sessions(), [])
    try expect(try await registry.user(ofAccount: "1", in: id), nil)
    try expect(try await registry.storeEpochs(), [:])
  }
}
