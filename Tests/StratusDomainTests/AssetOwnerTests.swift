import StratusWire
import Synchronization
import Testing

@testable import StratusDomain

/// The ownership of files that two installations could use by mistake.
@Suite struct `The owner of the files` {
  /// A mark in memory. It can act for another process that writes at the same time.
  private final class Mark: AssetOwnerMark {
    let place = "the test"
    private let id = Mutex<String?>(nil)
    private let rival: String?

    /// - Parameter rival: the ID that another process writes directly after each write.
    init(rival: String? = nil) { self.rival = rival }

    func ownerID() async throws(ServerError) -> String? { id.withLock { $0 } }

    func write(_ id: String, replaces: Bool) async throws(ServerError) {
      self.id.withLock { present in
        if replaces || present == nil { present = id }
        if let rival { present = rival }
      }
    }

    func remove() { id.withLock { $0 = nil } }
  }

  private func failure(
    _ body: () async throws(ServerError) -> Void
  ) async -> ServerError? {
    do throws(ServerError) { try await body() } catch { return error }
    return nil
  }

  /// A storage may ignore the condition of the write, so the last writer wins.
  @Test func `an installation does not use files that another one has claimed at the same time`()
    async
  {
    let owner = AssetOwner(Mark(rival: "two"), installationID: "one")
    let found = await failure { () async throws(ServerError) in try await owner.claim() }
    #expect(found?.code == .internalError)
    #expect(found?.facts["owner"] == "two")
    #expect(found?.facts["installation"] == "one")
    #expect(found?.hint?.contains("stratus assets claim --yes") == true)
  }

  @Test func `an installation removes nothing while the mark of the owner is missing`() async throws
  {
    let mark = Mark()
    let owner = AssetOwner(mark, installationID: "one")
    try await owner.claim()
    mark.remove()
    let found = await failure { () async throws(ServerError) in try await owner.require() }
    #expect(found?.facts["fault"] == "the mark with the owner of the files is missing")
    try await owner.claim()
    try await owner.require()
  }
}
