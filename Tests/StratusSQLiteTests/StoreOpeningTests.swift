import Foundation
import StoreTestSupport
import StratusDomain
import StratusWire
import Synchronization
import Testing

@testable import StratusSQLite

@Suite struct `Opening a store` {
  private static let other = StoreAddress(
    container: "iCloud.org.other", environment: .development)

  /// In an earlier version, the requests to the other store took 14.8 s.
  @Test func `a store that another program locks does not delay other stores`() async throws {
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 1) { _ = try await $0.store(at: development) }
      let file = url.appendingPathComponent("iCloud.org.example/development.sqlite")
      let holder = try SQLiteShell(path: file.path)
      try await withStores(in: url, epoch: 1) { stores in
        try holder.execute("BEGIN EXCLUSIVE")
        let hold = Hold()
        // There are more waiting tasks than threads on which Swift runs tasks.
        let waiters = (0..<40).map { _ in
          Task { () -> Bool in
            // On a slow machine, the wait for the file may exceed its time limit.
            do throws(ServerError) { _ = try await stores.store(at: development) } catch {
              return false
            }
            return hold.lasts
          }
        }
        for index in 0..<5 { try await stores.store(at: Self.other).save("\(index)") }
        #expect(try await stores.store(at: Self.other).names().count == 5)
        hold.end()
        try holder.execute("COMMIT")
        for waiter in waiters { #expect(await !waiter.value) }
      }
    }
  }

  @Test func `all callers that wait for a store get the same open store`() async throws {
    try await withStores { stores in
      let names = try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<50 {
          group.addTask { try await stores.store(at: development).save("\(index)") }
        }
        try await group.waitForAll()
        return try await stores.store(at: development).names()
      }
      #expect(names.count == 50)
      #expect(stores.openStores.count == 1)
    }
  }

  /// Both openings create the container's folder.
  @Test func `both stores of a new container can be opened at the same time`() async throws {
    try await withStores { stores in
      for number in 0..<100 {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for environment in [ContainerEnvironment.development, .production] {
            let address = StoreAddress(
              container: "iCloud.org.example.N\(number)", environment: environment)
            group.addTask { _ = try await stores.store(at: address) }
          }
          try await group.waitForAll()
        }
      }
    }
  }

  @Test func `the files of a store can be read only by their owner`() async throws {
    try await withTemporaryFolder { url in
      let folder = url.appendingPathComponent("iCloud.org.example")
      try await withStores(in: url, epoch: 1) { stores in
        try await stores.store(at: development).save("one")
        // Earlier versions created files with these permissions.
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
          chmod(folder.appendingPathComponent(name).path, 0o644)
        }
      }
      try await withStores(in: url, epoch: 1) { stores in
        try await stores.store(at: development).save("two")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count == 3)
        for name in names {
          let path = folder.appendingPathComponent(name).path
          let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
          #expect((mode as? NSNumber)?.intValue == 0o600, "\(name)")
        }
      }
    }
  }
}

/// Whether the other program still locks the file.
private final class Hold: Sendable {
  private let state = Mutex(true)

  var lasts: Bool { state.withLock { $0 } }

  func end() { state.withLock { $0 = false } }
}

@Suite struct `An unused store` {
  private func withTime(
    _ body: (SQLiteStores, _ pass: (Int64) -> Void) async throws -> Void
  ) async throws {
    let time = Mutex<Int64>(1_000)
    try await withTemporaryFolder { url in
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      let stores = SQLiteStores(
        folder: folder, makeEpoch: { 7 }, now: { time.withLock { $0 } })
      try await body(stores) { span in time.withLock { $0 += span } }
      await stores.close()
    }
  }

  @Test func `an unused store is closed, and the next request opens it again`() async throws {
    try await withTime { stores, pass in
      let store = try await stores.store(at: development)
      try await store.save("one")
      #expect(stores.idleStores(unusedSince: 1_000).isEmpty)
      pass(500)
      #expect(stores.idleStores(unusedSince: 1_400).count == 1)
      await stores.closeStore(at: development, unlessUsedSince: 1_400)
      #expect(stores.openStores.isEmpty)
      // The same store object still works.
      try await store.save("two")
      #expect(try await store.names() == ["one", "two"])
      #expect(stores.openStores.count == 1)
    }
  }

  @Test func `a store stays open if it was used since the check`() async throws {
    try await withTime { stores, pass in
      let store = try await stores.store(at: development)
      pass(500)
      try await store.save("one")
      await stores.closeStore(at: development, unlessUsedSince: 1_400)
      #expect(stores.openStores.count == 1)
    }
  }

  @Test func `the server's own work does not keep a store open`() async throws {
    try await withTime { stores, pass in
      try await stores.store(at: development).save("one")
      pass(500)
      for store in stores.openStores { _ = try await store.names() }
      #expect(stores.idleStores(unusedSince: 1_400).count == 1)
    }
  }

  /// The store closes while requests arrive. Each request succeeds, and all acknowledged data is
  /// stored.
  @Test func `a store is closed between requests, and no request fails`() async throws {
    try await withTime { stores, pass in
      let kept = try await withThrowingTaskGroup(of: Int.self) { group in
        for index in 0..<200 {
          group.addTask {
            try await stores.store(at: development).save("\(index)")
            return 1
          }
          group.addTask {
            await stores.closeStore(at: development, unlessUsedSince: .max)
            return 0
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(kept == 200)
      #expect(try await stores.store(at: development).names().count == 200)
    }
  }

  @Test func `a closed store releases its file descriptors`() async throws {
    try await withTime { stores, pass in
      func descriptors() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
      }
      guard descriptors() > 0 else { return }
      let addresses = (0..<30).map {
        StoreAddress(container: "iCloud.c\($0)", environment: .development)
      }
      for address in addresses { try await stores.store(at: address).save("one") }
      let open = descriptors()
      pass(1)
      for address in addresses {
        await stores.closeStore(at: address, unlessUsedSince: .max)
      }
      // NB: the closed stores had more than ninety open files. Other tests open files at the same
      // time, so the difference may be smaller.
      #expect(open - descriptors() > 30)
    }
  }
}
