import StratusDomain
import StratusWire

extension AssetStoreConformance {
  static let uploadChecks: [Check] = [
    Check("an upload that never began has no bytes", unknownUpload),
    Check("a finished upload becomes a file with the SHA-256 of its bytes", uploadBecomesFile),
    Check("an empty upload becomes an empty file", emptyUpload),
    Check("an upload continues where it was closed", uploadGoesOn),
    Check("an upload that restarts from zero discards its earlier bytes", uploadFromNothing),
    Check("a new opener of an upload takes it over from the earlier one", uploadIsTaken),
    Check("concurrent openers of one upload never write into another opener's file", openedAtOnce),
    Check("discarding an upload that was taken over keeps the new upload", lostUploadDiscards),
    Check("a discarded upload has no bytes", uploadIsDiscarded),
    Check("a large upload in pieces of odd sizes keeps its bytes", largeUpload),
    Check("old uploads are discarded, and recent or open uploads are kept", oldUploadsGo),
    Check("concurrent uploads do not mix their bytes", uploadsAtOnce),
  ]

  static func unknownUpload(_ store: any AssetStore) async throws {
    try expect(
      try await store.status(ofUpload: "nobody-began", at: address),
      AssetUploadStatus(received: 0))
    try await store.discardUploads(at: address, untouchedSince: now)
  }

  static func uploadBecomesFile(_ store: any AssetStore) async throws {
    let upload = try await store.open(upload: "upload-1", at: address, fromNothing: true)
    try await upload.append(Array("a".utf8))
    try await upload.append([])
    try expect(upload.received, 1)
    try await upload.append(Array("bc".utf8))
    let whole = try await upload.finish(as: first)
    try expect(whole, WholeFile(checksum: checksumOfABC, size: 3))
    try expect(try await contents(of: first, in: store), "abc")
    try expect(try await store.status(ofUpload: "upload-1", at: address).received, 0)
  }

  static func emptyUpload(_ store: any AssetStore) async throws {
    try expect(
      try await put("", as: first, in: store), WholeFile(checksum: checksumOfNothing, size: 0))
    try expect(try await contents(of: first, in: store), "")
  }

  static func uploadGoesOn(_ store: any AssetStore) async throws {
    let upload = try await store.open(upload: "upload-1", at: address, fromNothing: true)
    try await upload.append(Array("ab".utf8))
    await upload.close()
    try expect(
      try await store.status(ofUpload: "upload-1", at: address),
      AssetUploadStatus(received: 2, touched: now))
    try expect(try await store.status(ofUpload: "upload-1", at: other).received, 0)
    let again = try await store.open(upload: "upload-1", at: address, fromNothing: false)
    try expect(again.received, 2)
    try await again.append(Array("c".utf8))
    try expect(try await again.finish(as: first).checksum, checksumOfABC)
  }

  static func uploadFromNothing(_ store: any AssetStore) async throws {
    let upload = try await store.open(upload: "upload-1", at: address, fromNothing: true)
    try await upload.append(Array("something longer".utf8))
    await upload.close()
    let again = try await store.open(upload: "upload-1", at: address, fromNothing: true)
    try expect(again.received, 0)
    try await again.append(Array("abc".utf8))
    try expect(
      try await again.finish(as: first), WholeFile(checksum: checksumOfABC, size: 3))
  }

  static func uploadIsTaken(_ store: any AssetStore) async throws {
    let old = try await store.open(upload: "upload-1", at: address, fromNothing: true)
    try await old.append(Array("ab".utf8))
    let new = try await store.open(upload: "upload-1", at: address, fromNothing: false)
    try expect(new.received, 2)
    try await expectLost("append") { () throws(ServerError) in try await old.append([120]) }
    try await expectLost("finish") { () throws(ServerError) in
      _ = try await old.finish(as: second)
    }
    await old.close()
    try await new.append(Array("c".utf8))
    try expect(try await new.finish(as: first).checksum, checksumOfABC)
    try expect(try await contents(of: second, in: store), nil)
  }

  /// Three callers open the same upload at the same time. A file of an upload must contain only the
  /// bytes of the caller that finished the upload.
  static func openedAtOnce(_ store: any AssetStore) async throws {
    for round in 100..<200 {
      var files: [String: String] = [:]
      await withTaskGroup(of: (String, String, ServerError?).self) { group in
        for letter in ["a", "b", "c"] {
          group.addTask {
            let name = "0000\(round)-file-\(letter)"
            let text = String(repeating: letter, count: 20)
            do throws(ServerError) {
              let upload = try await store.open(
                upload: "upload-\(round)", at: address, fromNothing: true)
              for byte in text.utf8 { try await upload.append([byte]) }
              _ = try await upload.finish(as: name)
              return (name, text, nil)
            } catch {
              return (name, text, error)
            }
          }
        }
        for await (name, text, error) in group {
          files[name] = error.map { $0.code == .conflict ? nil : "\($0)" } ?? text
        }
      }
      try expect(files.isEmpty, false, "at least one upload is finished")
      for (name, text) in files {
        try expect(try await contents(of: name, in: store), text, name)
      }
    }
  }

  static func lostUploadDiscards(_ store: any AssetStore) async throws {
    let old = try await store.open(upload: "upload-1", at: address, fromNothing: true)
    let new = try await store.open(upload: "upload-1", at: address, fromNothing: true)
    try await new.append(Array("abc".utf8))
    await old.discard()
    try expect(try await new.finish(as: first).checksum, checksumOfABC)
    try expect(try await contents(of: first, in: store), "abc")
  }

  static func uploadIsDiscarded(_ store: any AssetStore) async throws {
    let upload = try await store.open(upload: "upload-1", at: address, fromNothing: true)
    try await upload.append(Array("abc".utf8))
    await upload.discard()
    try expect(try await store.status(ofUpload: "upload-1", at: address).received, 0)
    try await expectLost("append") { () throws(ServerError) in try await upload.append([120]) }
  }

  static func largeUpload(_ store: any AssetStore) async throws {
    let block = (0..<2_999).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    let bytes = Array(Array(repeating: block, count: 1_001).flatMap { $0 }.prefix(3_000_000))
    let upload = try await store.open(upload: "upload-1", at: address, fromNothing: true)
    var offset = 0
    var count = 1
    while offset < bytes.count {
      let end = min(bytes.count, offset + count)
      try await upload.append(Array(bytes[offset..<end]))
      offset = end
      count = count * 3 + 1
    }
    try expect(try await upload.finish(as: first).size, 3_000_000)
    let file = try expectSome(try await store.open(file: first, at: address))
    for offset in [0, 1, 262_143, 262_144, 2_999_999] {
      let got = try await file.read(at: Int64(offset), count: 300_000)
      try expect(
        got == Array(bytes[offset..<min(bytes.count, offset + 300_000)]), true, "\(offset)")
    }
    try expect(try await file.read(at: 3_000_000, count: 5), [])
  }

  static func oldUploadsGo(_ store: any AssetStore) async throws {
    let upload = try await store.open(upload: "upload-1", at: address, fromNothing: true)
    try await upload.append(Array("ab".utf8))
    await upload.close()
    try await store.note([1], ofUpload: "upload-2", at: address)
    try await store.discardUploads(at: address, untouchedSince: now)
    try expect(try await store.status(ofUpload: "upload-1", at: address).received, 2)
    let open = try await store.open(upload: "upload-3", at: address, fromNothing: true)
    try await store.discardUploads(at: other, untouchedSince: .max)
    try expect(try await store.status(ofUpload: "upload-1", at: address).received, 2)
    try await store.discardUploads(at: address, untouchedSince: .max)
    for id in ["upload-1", "upload-2"] {
      try expect(
        try await store.status(ofUpload: id, at: address), AssetUploadStatus(received: 0), id)
    }
    try await open.append(Array("abc".utf8))
    try expect(try await open.finish(as: first).checksum, checksumOfABC)
    try expect(try await contents(of: first, in: store), "abc")
  }

  static func uploadsAtOnce(_ store: any AssetStore) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 10..<40 {
        group.addTask {
          let name = "0000\(index)-file"
          _ = try await put("contents of \(index)", as: name, in: store)
          try expect(try await contents(of: name, in: store), "contents of \(index)")
        }
      }
      try await group.waitForAll()
    }
    try expect(try await store.files(at: address, after: nil, limit: 100).count, 30)
  }
}
