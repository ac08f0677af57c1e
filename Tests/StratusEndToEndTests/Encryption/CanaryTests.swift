import CloudKit
import StratusTesting
import StratusTransport
import Synchronization
import Testing

/// Encrypted values are readable only with the keys of a user's devices. The test saves random
/// texts and searches for them outside the devices. A text that the search finds was not encrypted.
@Suite struct `A search for a thousand secret texts` {
  static let canaries = Canaries(count: 1_000, seed: 6)

  /// Stores all bytes that are sent and received.
  private final class Wiretap: HTTPExchange {
    private let server: any HTTPExchange
    private let heard = Mutex<[UInt8]>([])

    init(to server: any HTTPExchange) { self.server = server }

    var bytes: [UInt8] { heard.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse {
      let answer = try await server.send(request)
      let words = "\(request.url) \(request.headers) \(answer.headers)\n"
      heard.withLock { $0 += Array(words.utf8) + request.body + answer.body }
      return answer
    }
  }

  private static func files(in folder: URL) throws -> [(name: String, bytes: [UInt8])] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return try names.sorted().compactMap { name in
      let file = folder.appendingPathComponent(name)
      guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
        return nil
      }
      return (name, Array(try Data(contentsOf: file)))
    }
  }

  /// Saves all texts as encrypted strings, data and lists, ten texts in each record.
  private func plant(in database: CKDatabase) async throws {
    try await database.save(CKRecordZone(zoneID: zoneZ))
    let records = stride(from: 0, to: Self.canaries.texts.count, by: 10).map { start in
      let texts = Array(Self.canaries.texts[start..<start + 10])
      let record = note("n\(start)", title: "plain")
      for (index, text) in texts.prefix(6).enumerated() {
        record.encryptedValues["text\(index)"] = text
      }
      record.encryptedValues["bytes"] = Data(texts[6].utf8)
      record.encryptedValues["list"] = Array(texts.suffix(3))
      return record
    }
    let (results, _) = try await database.modifyRecords(saving: records, deleting: [])
    for result in results.values { _ = try result.get() }
  }

  @Test(.enabled(if: TestEngine.hasFiles, "it reads the files of SQLite"))
  func `encrypted texts do not occur on the server, in its log, or on the network`() async throws {
    let keys = KeyFolder()
    let folder = keys.url.appendingPathComponent("server")
    let log = CapturedLog()
    let server = try await TestServer(folder: folder, log: log)
    let cloud = Cloud(server: server)
    let tap = Wiretap(to: server.exchange)
    let device = try await cloud.device("a", keys, by: tap)
    try await plant(in: device)

    // The next calls show that the records exist. They also cause a conflict and a refusal, which
    // the server logs and answers.
    let page = try await device.recordZoneChanges(inZoneWith: zoneZ, since: nil)
    let first = try #require(try page.modificationResultsByID[id("n0")]?.get().record)
    #expect(first.encryptedValues["text0"] == Self.canaries.texts[0])
    #expect(first.encryptedValues["list"] as? [String] == Array(Self.canaries.texts[7..<10]))
    await expect(.serverRecordChanged) { try await device.save(note("n0")) }
    let plain = note("p")
    plain["text0"] = "not encrypted"
    await expect(.invalidArguments) { try await device.save(plain) }

    let open = try Self.files(in: folder)
    #expect(open.contains { $0.name.hasSuffix("-wal") && !$0.bytes.isEmpty })
    let heard = tap.bytes
    #expect(heard.count > 100_000)
    await server.stop()
    let closed = try Self.files(in: folder)
    for (name, bytes) in open + closed {
      #expect(Self.canaries.place(in: bytes) == nil, "in \(name)")
    }
    #expect(Self.canaries.place(in: heard) == nil)
    #expect(Self.canaries.place(in: Array(log.text.utf8)) == nil)
  }

  /// Shows that the search finds a text in the places that the test above searches.
  @Test(.enabled(if: TestEngine.hasFiles, "it reads the files of SQLite"))
  func `the search finds a text that is saved unencrypted`() async throws {
    let keys = KeyFolder()
    let folder = keys.url.appendingPathComponent("server")
    let server = try await TestServer(folder: folder)
    let tap = Wiretap(to: server.exchange)
    let device = try await Cloud(server: server).device("a", keys, by: tap)
    try await device.save(CKRecordZone(zoneID: zoneZ))
    let record = note("n", title: "so \(Self.canaries.texts[500]) there")
    try await device.save(record)
    let open = try Self.files(in: folder)
    await server.stop()
    #expect(Self.canaries.place(in: tap.bytes) != nil)
    #expect(open.contains { Self.canaries.place(in: $0.bytes) != nil })
  }

  @Test func `the search finds a text in every encoding, and a part of a text`() {
    let text = Self.canaries.texts[999]
    for form in Canaries.forms(of: text) {
      let padded = [1, 2, 3] + form + [4]
      #expect(Self.canaries.place(in: padded) == 3)
      #expect(Self.canaries.place(in: Array(form.dropFirst(2).prefix(12))) == 0)
    }
    for before in ["", "a", "ab", "abc"] {
      let encoded = Data((before + text + "tail").utf8).base64EncodedString()
      #expect(Self.canaries.place(in: Array(encoded.utf8)) != nil, "after \(before)")
    }
    #expect(Self.canaries.place(in: Array("a plain text without any bird in it".utf8)) == nil)
  }
}
