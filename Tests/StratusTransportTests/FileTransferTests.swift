import Foundation
import StratusTransport
import StratusWire
import Synchronization
import Testing

@Suite struct `A file transfer` {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "stratus-test-" + UUID().uuidString, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func file(_ text: String, _ name: String = "file") throws -> URL {
    let url = folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: url)
    return url
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private func connection(
    _ exchange: ScriptedExchange, _ time: FakeTime = FakeTime(), piece: Int = 2
  ) -> Connection {
    Connection(
      to: Connection.Address(
        url: "https://cloud.example.org", container: "iCloud.org.example.App",
        environment: .development, deviceID: "D-1"),
      apiToken: "api", webAuthToken: "web", exchange: exchange, timing: time.timing(),
      pieceBytesMax: piece)
  }

  private func received(_ count: Int) -> ScriptedExchange.Step {
    .answer(200, #"{"received":\#(count)}"#)
  }

  /// The SHA-256 of "abc" in base64. FIPS 180 contains this example.
  private let abc = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="

  private var whole: ScriptedExchange.Step {
    .answer(200, #"{"singleFile":{"fileChecksum":"\#(abc)","size":3,"receipt":"r"}}"#)
  }

  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
  ])
  func `a file is identified by its SHA-256`(text: String, checksum: String) throws {
    let url = try file(text)
    #expect(hex(try FileChecksum.of(url)) == checksum)
    let copy = folder.appendingPathComponent("copy")
    #expect(hex(try FileChecksum.copy(url, to: copy)) == checksum)
    #expect(try Data(contentsOf: copy) == Data(text.utf8))
    #expect(FileChecksum.bytes(abc).map(hex)?.hasPrefix("ba7816bf") == true)
    #expect(FileChecksum.bytes("YWJj") == nil)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `a missing file cannot be opened for an upload`() throws {
    #expect(throws: FileFailure.missing) { try OutgoingFile(folder.appendingPathComponent("x")) }
    #expect(throws: FileFailure.missing) { try OutgoingFile(folder) }
    #expect(FileIdentity(at: folder) == nil)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `a file transfer sends no credentials to the file's URL`() async throws {
    let exchange = ScriptedExchange([received(2), whole])
    let journal = Mutex<[Int64]>([])
    let asset = try await connection(exchange).upload(
      OutgoingFile(try file("abc")), to: "https://files.example.org/u/1",
      options: Connection.Options(headers: ["X-Apple-Operation-ID": "O"])
    ) { bytes in journal.withLock { $0.append(bytes) } }
    #expect(asset == Asset(fileChecksum: abc, size: 3, receipt: "r"))
    #expect(journal.withLock { $0 } == [2, 3])
    #expect(
      exchange.requests.map(\.url.absoluteString)
        == Array(repeating: "https://files.example.org/u/1", count: 2))
    #expect(
      exchange.requests.map { $0.headers["Content-Range"] } == ["bytes 0-1/3", "bytes 2-2/3"])
    #expect(exchange.requests.map(\.body) == [Array("ab".utf8), Array("c".utf8)])
    #expect(exchange.requests.allSatisfy { $0.headers.count == 2 && $0.method == .post })
    try FileManager.default.removeItem(at: folder)
  }

  @Test
  func `an upload fails if the server reports another size or checksum of the file`() async throws {
    for answer in [#""fileChecksum":"\#(abc)","size":4"#, #""fileChecksum":"YWJj","size":3"#] {
      let exchange = ScriptedExchange([.answer(200, #"{"singleFile":{\#(answer)}}"#)])
      let failure = await failure {
        _ = try await connection(exchange, piece: 9).upload(
          OutgoingFile(try file("abc")), to: "https://files.example.org/u/1",
          options: Connection.Options()
        ) { _ in }
      }
      guard case .file(.changed) = failure else {
        Issue.record("\(String(describing: failure))")
        continue
      }
    }
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `the attempts of a file transfer are counted from its last progress`() async throws {
    let lost = ScriptedExchange.Step.fail(.lostAfterSending)
    let exchange = ScriptedExchange([
      lost, lost, lost, received(1), lost, lost, lost, received(2), lost, lost, lost, received(2),
      whole,
    ])
    let time = FakeTime()
    let asset = try await connection(exchange, time).upload(
      OutgoingFile(try file("abc")), to: "https://files.example.org/u/1",
      options: Connection.Options()
    ) { _ in }
    #expect(asset.receipt == "r")
    #expect(time.sleeps == [0.25, 0.5, 1, 0.25, 0.5, 1, 0.25, 0.5, 1])
    try FileManager.default.removeItem(at: folder)
  }

  @Test(arguments: [403, 404, 410, 401])
  func `an upload reports that its URL has expired`(status: Int) async throws {
    let exchange = ScriptedExchange([.answer(status, refusal("NOT_FOUND"))])
    let failure = await failure {
      _ = try await connection(exchange).upload(
        OutgoingFile(try file("abc")), to: "https://files.example.org/u/1",
        options: Connection.Options()
      ) { _ in }
    }
    guard case .addressExpired = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(exchange.requests.count == 1)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `a file transfer waits for the server's retry delay`() async throws {
    let exchange = ScriptedExchange([
      .answer(503, refusal("TRY_AGAIN_LATER", retryAfter: 2)), received(0), received(2), whole,
    ])
    let time = FakeTime()
    _ = try await connection(exchange, time).upload(
      OutgoingFile(try file("abc")), to: "https://files.example.org/u/1",
      options: Connection.Options()
    ) { _ in }
    #expect(time.sleeps == [2])
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `a download requests byte ranges and fills the placeholder in the URL`() async throws {
    let exchange = ScriptedExchange([
      .answer(206, "ab", headers: ["content-range": "bytes 0-1/3"]),
      .fail(.timedOut), .fail(.lostBeforeSending),
      .answer(206, "c", headers: ["content-range": "bytes 2-2/3"]),
    ])
    let url = folder.appendingPathComponent("incoming")
    let file = try IncomingFile(at: url, size: 3)
    let options = Connection.Options(patience: .long)
    try await connection(exchange).download(
      file, from: "https://files.example.org/d/${f}?x=1", options: options
    ) { _ in }
    #expect(hex(file.checksum()).hasPrefix("ba7816bf"))
    #expect(try Data(contentsOf: url) == Data("abc".utf8))
    #expect(
      exchange.requests.map { $0.headers["Range"] } == [
        "bytes=0-1", "bytes=2-2", "bytes=2-2", "bytes=2-2",
      ])
    #expect(exchange.requests[0].url.absoluteString == "https://files.example.org/d/file?x=1")
    #expect(exchange.requests[0].answerBytesMax == 2 + Limits.clientErrorBytesMax)
    #expect(exchange.requests.allSatisfy { $0.method == .get && $0.body.isEmpty })
    try FileManager.default.removeItem(at: folder)
  }

  @Test(arguments: [
    ScriptedExchange.Step.answer(206, "abc"), .answer(206, ""),
    .answer(206, "ab", headers: ["content-range": "bytes 1-2/3"]),
    .answer(206, "ab", headers: ["content-range": "bytes 0-1/4"]), .answer(200, "ab"),
    .tooLarge(200),
  ])
  func `a download refuses bytes that do not match the requested range`(step: ScriptedExchange.Step)
    async throws
  {
    let url = folder.appendingPathComponent("incoming")
    let file = try IncomingFile(at: url, size: 3)
    let failure = await failure {
      try await connection(ScriptedExchange([step])).download(
        file, from: "https://files.example.org/d", options: Connection.Options()
      ) { _ in }
    }
    guard case .transport(.unreadable) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(file.received == 0)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `a file transfer refuses plain HTTP when the server's URL is HTTPS`() async throws {
    let exchange = ScriptedExchange([whole, .answer(206, "abc")])
    let file = try file("abc")
    let incoming = try IncomingFile(at: folder.appendingPathComponent("incoming"), size: 3)
    let connection = connection(exchange, piece: 9)
    let failures = [
      await failure {
        _ = try await connection.upload(
          OutgoingFile(file), to: "http://cloud.example.org/u/1", options: Connection.Options()
        ) { _ in }
      },
      await failure {
        try await connection.download(
          incoming, from: "HTTP://cloud.example.org/d", options: Connection.Options()
        ) { _ in }
      },
    ]
    for failure in failures {
      guard case .addressInsecure(let sentence) = failure else {
        Issue.record("\(String(describing: failure))")
        continue
      }
      #expect(sentence.contains("--public-url https://cloud.example.org"))
    }
    #expect(exchange.requests.isEmpty)
    try FileManager.default.removeItem(at: folder)
  }

  @Test
  func `a file transfer that is cancelled during a wait reports the cancellation`() async throws {
    let timing = Timing(now: { 0 }, sleep: { _ in throw CancellationError() }, chance: { 0 })
    let connection = Connection(
      to: Connection.Address(
        url: "https://cloud.example.org", container: "iCloud.org.example.App",
        environment: .development, deviceID: "D-1"),
      apiToken: "api", webAuthToken: "web", exchange: ScriptedExchange([.fail(.lostAfterSending)]),
      timing: timing)
    let file = try file("abc")
    let failure = await failure {
      _ = try await connection.upload(
        OutgoingFile(file), to: "https://files.example.org/u/1", options: Connection.Options()
      ) { _ in }
    }
    guard case .transport(.network(.cancelled)) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    try FileManager.default.removeItem(at: folder)
  }

  private func failure(of body: () async throws -> Void) async -> TransferFailure? {
    do {
      try await body()
      return nil
    } catch {
      return error as? TransferFailure
    }
  }
}
