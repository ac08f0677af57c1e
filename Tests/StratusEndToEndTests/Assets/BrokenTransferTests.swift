import CloudKit
import Foundation
import StratusTesting
import Testing

@Suite struct `A file transfer whose connection breaks` {
  /// The seeds of the test's runs.
  private static let seeds: Range<UInt64> = 1..<201

  @Test func `a broken file transfer ends with the right bytes after retries`() async throws {
    let folder = try TestFolder()
    try await withCloud { cloud in
      _ = try await cloud.zone()
      var breaks = 0
      for seed in Self.seeds {
        var chance = SeededChance(seed: seed)
        let size = Int.random(in: 0...6_000, using: &chance)
        let contents = (0..<size).map { _ in UInt8.random(in: 0...255, using: &chance) }
        let network = FlakyNetwork(to: cloud.server.exchange, seed: seed, breaksPercent: 30)
        let up = try await cloud.device(by: network, assets: folder.assets("up\(seed)", piece: 700))
        let down = try await cloud.device(
          by: network, assets: folder.assets("down\(seed)", piece: 500))
        let file = try folder.file("\(seed)", contents)
        let record = note("n\(seed)")
        record["photo"] = CKAsset(fileURL: file)
        do {
          _ = try await patiently { try await up.privateCloudDatabase.save(record) }
          let fetched = try await patiently {
            try await down.privateCloudDatabase.record(for: record.recordID)
          }
          let read = (fetched["photo"] as? CKAsset)?.fileURL.flatMap { try? Data(contentsOf: $0) }
          #expect(read.map(Array.init) == contents, "seed \(seed)")
        } catch {
          Issue.record("seed \(seed): \(error)")
        }
        breaks += network.breaks
      }
      // With fewer broken requests, the test would not show enough.
      #expect(breaks > 500)
    }
  }

  /// Retries after network errors, as apps do. A retry must succeed even if the broken transfer has
  /// left a part of the file on the device or on the server.
  private func patiently(_ body: () async throws -> CKRecord) async throws -> CKRecord {
    for _ in 0..<10 {
      do {
        return try await body()
      } catch let error as CKError where error.code == .networkFailure {
        continue
      }
    }
    return try await body()
  }
}
