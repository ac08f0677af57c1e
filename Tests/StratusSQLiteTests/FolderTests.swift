import Foundation
import StratusDomain
import StratusWire
import Testing

@testable import StratusSQLite

@Suite struct `Data folder` {
  @Test func `a second server on a data folder is refused with a clear message`() async throws {
    try await withTemporaryFolder { url in
      let first = try DataFolder(url)
      let error = #expect(throws: DataFolderError.self) { try DataFolder(url) }
      #expect(error?.description.contains("Another Stratus server is using") == true)
      withExtendedLifetime(first) {}
    }
  }

  @Test func `a data folder that was open to other users becomes private`() async throws {
    try await withTemporaryFolder { url in
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
      let folder = try DataFolder(url)
      let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions]
      #expect((mode as? NSNumber)?.intValue == 0o700)
      withExtendedLifetime(folder) {}
    }
  }

  @Test func `a data folder can be used again after its server has stopped`() async throws {
    try await withTemporaryFolder { url in
      for _ in 0..<2 {
        try await withStores(in: url, epoch: 1) { stores in
          _ = try await stores.store(at: development)
        }
      }
    }
  }

  @Test(arguments: [
    "", ".", "..", "../other", "a/b", "/etc", "a\\b", "a\0b", ".hidden", "ä", "a b",
    "server.sqlite", "server.sqlite-wal", "lock", String(repeating: "a", count: 256),
  ])
  func `a container ID that is not a safe folder name is refused`(_ id: String)
    async throws
  {
    try await withStores { stores in
      let address = StoreAddress(container: id, environment: .development)
      let error = await #expect(throws: ServerError.self) { try await stores.store(at: address) }
      #expect(error?.code == .internalError)
      #expect(error?.reason == Reason.internalError)
    }
  }

  @Test func `a closed catalog of stores refuses requests, and so do its stores`() async throws {
    try await withStores { stores in
      let store = try await stores.store(at: development)
      await stores.close()
      var refusals: [ServerError] = []
      do throws(ServerError) {
        _ = try await stores.store(at: development)
      } catch {
        refusals.append(error)
      }
      do throws(ServerError) { try await store.save("one") } catch { refusals.append(error) }
      do throws(ServerError) { _ = try await store.names() } catch { refusals.append(error) }
      #expect(refusals.map(\.code) == [.tryAgainLater, .tryAgainLater, .tryAgainLater])
      #expect(refusals.map(\.retryAfterSeconds) == [1, 1, 1])
    }
  }

  @Test
  func `writes that wait when a store is closed are stored or refused, never lost`() async throws {
    try await withTemporaryFolder { url in
      var kept: Set<String> = []
      try await withStores(in: url, epoch: 1) { stores in
        let store = try await stores.store(at: development)
        kept = await withTaskGroup(of: String?.self) { group in
          for index in 0..<100 {
            group.addTask {
              do {
                try await store.save("\(index)")
                return "\(index)"
              } catch {
                return nil
              }
            }
          }
          group.addTask {
            await stores.close()
            return nil
          }
          return await group.reduce(into: []) { kept, name in
            if let name { kept.insert(name) }
          }
        }
      }
      let expected = kept
      try await withStores(in: url, epoch: 1) { stores in
        let names = try await stores.store(at: development).names()
        #expect(Set(names) == expected)
      }
    }
  }
}
