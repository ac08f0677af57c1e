import StratusDomain
import StratusWire

extension AssetStoreConformance {
  /// Checks of notes: a few bytes that the server stores beside an upload.
  static let noteChecks: [Check] = [
    Check("a note is stored beside an upload, and a later note replaces it", notesAreKept),
    Check("concurrent notes beside one upload all succeed", notesAtOnce),
    Check("a note stays when its upload ends and starts again", noteOutlasts),
  ]

  static let fileChecks: [Check] = [
    Check("a file that never existed cannot be opened", unknownFile),
    Check("a file of one store is not visible in another store", storesAreApart),
    Check("a removed file is gone, but an open handle can still read it", filesAreRemoved),
    Check("a file can be read from any offset", filesAreReadAnywhere),
    Check("files are listed in order of their names, in pages", filesAreListed),
    Check("unfinished uploads are not listed as files", uploadsAreNoFiles),
  ]

  static func notesAreKept(_ store: any AssetStore) async throws {
    try await store.note([1, 2, 3], ofUpload: "upload-1", at: address)
    try expect(
      try await store.status(ofUpload: "upload-1", at: address),
      AssetUploadStatus(received: 0, touched: now, note: [1, 2, 3]))
    try await store.note([4], ofUpload: "upload-1", at: address)
    try expect(try await store.status(ofUpload: "upload-1", at: address).note, [4])
    try expect(try await store.status(ofUpload: "upload-1", at: other).note, nil)
    try expect(try await store.status(ofUpload: "upload-2", at: address).note, nil)
  }

  static func notesAtOnce(_ store: any AssetStore) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask { try await store.note([1, 2], ofUpload: "upload-1", at: address) }
      }
      try await group.waitForAll()
    }
    try expect(try await store.status(ofUpload: "upload-1", at: address).note, [1, 2])
  }

  static func noteOutlasts(_ store: any AssetStore) async throws {
    let upload = try await store.open(upload: "upload-1", at: address, fromNothing: true)
    try await store.note([1], ofUpload: "upload-1", at: address)
    _ = try await upload.finish(as: first)
    try expect(try await store.status(ofUpload: "upload-1", at: address).note, [1])
    let again = try await store.open(upload: "upload-1", at: address, fromNothing: true)
    await again.close()
    try expect(try await store.status(ofUpload: "upload-1", at: address).note, [1])
  }

  static func unknownFile(_ store: any AssetStore) async throws {
    try expect(try await contents(of: first, in: store), nil)
    try await store.remove(file: first, at: address)
    try expect(try await store.files(at: address, after: nil, limit: 10), [])
  }

  static func storesAreApart(_ store: any AssetStore) async throws {
    _ = try await put("abc", as: first, in: store)
    try expect(try await contents(of: first, in: store, at: other), nil)
    try await store.remove(file: first, at: other)
    try expect(try await contents(of: first, in: store), "abc")
    try expect(try await store.files(at: other, after: nil, limit: 10), [])
  }

  static func filesAreRemoved(_ store: any AssetStore) async throws {
    _ = try await put("abc", as: first, in: store)
    let open = try expectSome(try await store.open(file: first, at: address))
    try await store.remove(file: first, at: address)
    try expect(try await contents(of: first, in: store), nil)
    try await store.remove(file: first, at: address)
    try expect(try await open.read(at: 0, count: 3), Array("abc".utf8))
  }

  static func filesAreReadAnywhere(_ store: any AssetStore) async throws {
    _ = try await put("abc", as: first, in: store)
    let file = try expectSome(try await store.open(file: first, at: address))
    try expect(file.size, 3)
    try expect(try await file.read(at: 0, count: 1), Array("a".utf8))
    try expect(try await file.read(at: 1, count: 1), Array("b".utf8))
    try expect(try await file.read(at: 1, count: 9), Array("bc".utf8))
    try expect(try await file.read(at: 3, count: 1), [])
  }

  static func filesAreListed(_ store: any AssetStore) async throws {
    for name in [third, first, second] { _ = try await put(name, as: name, in: store) }
    let all = try await store.files(at: address, after: nil, limit: 10)
    try expect(all, [first, second, third].map { AssetFileEntry(name: $0, finished: now) })
    var names: [String] = []
    while true {
      let page = try await store.files(at: address, after: names.last, limit: 1)
      guard let entry = page.first else { break }
      names.append(entry.name)
    }
    try expect(names, [first, second, third])
    try await store.remove(file: second, at: address)
    let rest = try await store.files(at: address, after: second, limit: 10)
    try expect(rest.map(\.name), [third])
  }

  static func uploadsAreNoFiles(_ store: any AssetStore) async throws {
    let upload = try await store.open(upload: "upload-1", at: address, fromNothing: true)
    try await upload.append(Array("abc".utf8))
    try await store.note([1], ofUpload: "upload-1", at: address)
    await upload.close()
    try expect(try await store.files(at: address, after: nil, limit: 10), [])
    try expect(try await contents(of: "upload-1", in: store), nil)
  }
}
