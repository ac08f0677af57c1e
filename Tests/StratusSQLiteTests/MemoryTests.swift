import StratusConformance
import StratusDomain
import StratusSQL
import Synchronization
import Testing

@testable import StratusSQLite

@Suite struct `Memory store` {
  @Test(arguments: StoreConformance.checks)
  func `the memory store passes the conformance suite`(_ check: StoreConformance.Check) async throws
  {
    let stores = MemoryStores(makeEpoch: { 7 })
    try await check.run { try await stores.store(at: development) }
    stores.close()
  }

  @Test
  func `a restored memory store has the data of its backup and another epoch`() async throws {
    let epochs = Epochs()
    let stores = MemoryStores(makeEpoch: { epochs.next() })
    let store = try await stores.store(at: development)
    try await store.save("one")
    let before = try await store.epoch()
    let backup = try stores.backup()
    try await store.save("two")
    try stores.restore(backup)
    #expect(try await store.names() == ["one"])
    #expect(try await store.epoch() != before)
    try await store.save("three")
    #expect(try await store.names() == ["one", "three"])
  }

  @Test func `a zone that is created after a restore has a new number`() async throws {
    let time = Atomic<Int64>(1_767_225_600_000)
    let stores = MemoryStores(
      makeEpoch: { 7 }, now: { time.add(1, ordering: .relaxed).newValue })
    let store = try await stores.store(at: development)
    let backup = try stores.backup()
    var numbers: [Int64] = []
    for _ in 1...2 {
      numbers.append(
        try await store.write { (store) throws(ServerError) in
          try store.createZone(named: "Z", in: .private(owner: "_ann")).id
        })
      try stores.restore(backup)
    }
    #expect(numbers[0] != numbers[1])
  }

  @Test
  func `a memory store that the backup does not contain is empty after a restore`() async throws {
    let stores = MemoryStores(makeEpoch: { 7 })
    let backup = try stores.backup()
    let store = try await stores.store(at: development)
    try await store.save("one")
    try stores.restore(backup)
    #expect(try await store.names() == [])
  }

  @Test func `memory stores of two catalogs are separate`() async throws {
    let one = try await MemoryStores(makeEpoch: { 1 }).store(at: development)
    let other = try await MemoryStores(makeEpoch: { 2 }).store(at: development)
    try await one.save("one")
    #expect(try await other.names() == [])
    #expect(try await one.epoch() == 1)
    #expect(try await other.epoch() == 2)
  }

  @Test func `a memory store refuses requests after its catalog was closed`() async throws {
    let stores = MemoryStores(makeEpoch: { 7 })
    let store = try await stores.store(at: development)
    stores.close()
    await #expect(throws: ServerError.self) { try await stores.store(at: development) }
    await #expect(throws: ServerError.self) { try await store.names() }
  }
}

@Suite struct `Memory registry` {
  @Test(arguments: RegistryConformance.checks)
  func `the memory registry passes the conformance suite`(_ check: RegistryConformance.Check)
    async throws
  {
    let registry = try MemoryRegistry()
    try await check.run { registry }
    registry.close()
  }
}

/// Creates unique epochs.
private final class Epochs: Sendable {
  private let count = Atomic<Int64>(0)

  func next() -> Int64 { count.wrappingAdd(1, ordering: .relaxed).newValue }
}

extension Store {
  fileprivate func epoch() async throws(ServerError) -> Int64 {
    try await read { (body) throws(ServerError) in
      try body.epoch(of: DatabaseKey.public)
    }
  }
}
