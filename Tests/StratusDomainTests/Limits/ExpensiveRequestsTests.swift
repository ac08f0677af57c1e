import StratusWire
import Synchronization
import Testing

@testable import StratusDomain

@Suite(.timeLimit(.minutes(15))) struct `Expensive requests` {
  private static let ann = CallerPace.Subject(userRecordName: "_ann", apiToken: "api")
  private static let bob = CallerPace.Subject(userRecordName: "_bob", apiToken: "api")

  @Test func `a caller's expensive requests run one by one while another caller is active`() async {
    let scene = Scene()
    scene.seeBoth()
    let first = scene.begin("first", as: Self.ann)
    await scene.wait(running: ["first"], waiting: 0)
    let second = scene.begin("second", as: Self.ann)
    let third = scene.begin("third", as: Self.ann)
    await scene.wait(running: ["first"], waiting: 2)
    let other = scene.begin("other", as: Self.bob)
    await scene.wait(running: ["first", "other"], waiting: 2)
    first.end()
    await scene.waitForBeginnings(3)
    for request in [second, third, other] { request.end() }
    await scene.waitForBeginnings(4)
    await scene.wait(running: [], waiting: 0)
  }

  @Test
  func `the expensive requests of a caller run at the same time if no other caller is active`()
    async
  {
    let scene = Scene()
    scene.seeBoth()
    scene.move(byMilliseconds: 1_001)
    let requests = ["a", "b", "c"].map { scene.begin($0, as: Self.bob) }
    await scene.wait(running: ["a", "b", "c"], waiting: 0)
    for request in requests { request.end() }
    await scene.wait(running: [], waiting: 0)
  }

  @Test
  func `all waiting expensive requests of a caller start when no other caller is active`() async {
    let scene = Scene()
    scene.seeBoth()
    let first = scene.begin("a", as: Self.ann)
    await scene.wait(running: ["a"], waiting: 0)
    let others = ["b", "c"].map { scene.begin($0, as: Self.ann) }
    await scene.wait(running: ["a"], waiting: 2)
    scene.move(byMilliseconds: 1_001)
    first.end()
    await scene.wait(running: ["b", "c"], waiting: 0)
    for request in others { request.end() }
    await scene.wait(running: [], waiting: 0)
  }

  @Test(arguments: [false, true])
  func `a request or a step of an upload is refused if too many of the caller wait`(
    isUploadStep: Bool
  ) async throws {
    let scene = Scene()
    scene.seeBoth()
    let count = Limits.expensiveRequestsWaitingMax + 1
    let requests = (0..<count).map { number in
      isUploadStep
        ? scene.beginUploadStep("\(number)", as: Self.ann) : scene.begin("\(number)", as: Self.ann)
    }
    while scene.expensive.count != count { await Task.yield() }
    let refusal = await #expect(throws: ServerError.self) {
      if isUploadStep {
        try await scene.expensive.runUploadStep(as: Self.ann) { () async throws(ServerError) in }
      } else {
        try await scene.expensive.run(as: Self.ann) { () async throws(ServerError) in }
      }
    }
    #expect(refusal?.code == .throttled)
    #expect(refusal?.reason == LimitRule.expensiveRequestsPerCaller.reason)
    #expect(refusal?.retryAfterSeconds == 1)
    let other = scene.begin("other", as: Self.bob)
    other.end()
    for request in requests { request.end() }
    await scene.waitForBeginnings(count + 1)
    await scene.wait(running: [], waiting: 0)
  }

  @Test func `a request with a long body is expensive`() {
    let expensive = Scene().expensive
    let bytes = Limits.expensiveBodyBytesMin
    #expect(expensive.isExpensive(Self.ann, endpoint: "e", bodySize: bytes))
    #expect(!expensive.isExpensive(Self.ann, endpoint: "e", bodySize: bytes - 1))
  }

  @Test
  func `a request is expensive if the caller recently sent a costly request to the endpoint`() {
    let scene = Scene()
    let expensive = scene.expensive
    expensive.note(
      Self.ann, endpoint: "e", answerSize: Limits.expensiveAnswerBytesMin - 1,
      steps: Limits.expensiveStepsMin - 1)
    #expect(!expensive.isExpensive(Self.ann, endpoint: "e", bodySize: 0))
    expensive.note(Self.ann, endpoint: "e", answerSize: 0, steps: Limits.expensiveStepsMin)
    #expect(expensive.isExpensive(Self.ann, endpoint: "e", bodySize: 0))
    #expect(!expensive.isExpensive(Self.ann, endpoint: "f", bodySize: 0))
    #expect(!expensive.isExpensive(Self.bob, endpoint: "e", bodySize: 0))
    scene.move(byMilliseconds: 10_000)
    #expect(!expensive.isExpensive(Self.ann, endpoint: "e", bodySize: 0))
  }

  @Test func `no request is expensive on a server without a limit for expensive requests`() {
    let expensive = Scene(perCallerMax: nil).expensive
    expensive.note(Self.ann, endpoint: "e", answerSize: .max, steps: .max)
    #expect(!expensive.isExpensive(Self.ann, endpoint: "e", bodySize: .max))
  }

  @Test
  func `expensive requests of a user, an address and an API token do not wait for each other`()
    async
  {
    let scene = Scene()
    scene.seeBoth()
    let subjects = [
      Self.ann, CallerPace.Subject(userRecordName: nil, apiToken: "api", clientAddress: "_ann"),
      CallerPace.Subject(userRecordName: nil, apiToken: "_ann"),
    ]
    let requests = subjects.enumerated().map { scene.begin("\($0.offset)", as: $0.element) }
    await scene.wait(running: ["0", "1", "2"], waiting: 0)
    for request in requests { request.end() }
    await scene.wait(running: [], waiting: 0)
  }
}

@Suite(.timeLimit(.minutes(15))) struct `Uploads in turns` {
  private static let ann = CallerPace.Subject(userRecordName: "_ann", apiToken: nil)
  private static let bob = CallerPace.Subject(userRecordName: "_bob", apiToken: nil)

  @Test
  func `a caller's uploads write one portion at a time while another caller is active`() async {
    let scene = Scene()
    scene.seeBoth()
    let first = scene.beginUploadStep("first", as: Self.ann)
    await scene.wait(running: ["first"], waiting: 0)
    let second = scene.beginUploadStep("second", as: Self.ann)
    await scene.wait(running: ["first"], waiting: 1)
    let other = scene.beginUploadStep("other", as: Self.bob)
    await scene.wait(running: ["first", "other"], waiting: 1)
    first.end()
    await scene.wait(running: ["second", "other"], waiting: 0)
    for portion in [second, other] { portion.end() }
    await scene.wait(running: [], waiting: 0)
  }

  @Test func `an upload does not wait for an expensive request of its caller`() async {
    let scene = Scene()
    scene.seeBoth()
    let request = scene.begin("request", as: Self.ann)
    await scene.wait(running: ["request"], waiting: 0)
    let portion = scene.beginUploadStep("portion", as: Self.ann)
    await scene.wait(running: ["request", "portion"], waiting: 0)
    for running in [request, portion] { running.end() }
    await scene.wait(running: [], waiting: 0)
  }

  @Test func `a caller who uploads is active`() async {
    let scene = Scene()
    _ = scene.expensive.isExpensive(Self.bob, endpoint: "cheap", bodySize: 0)
    scene.beginUploadStep("portion", as: Self.ann).end()
    await scene.waitForBeginnings(1)
    await scene.wait(running: [], waiting: 0)
    let first = scene.begin("a", as: Self.bob)
    await scene.wait(running: ["a"], waiting: 0)
    let second = scene.begin("b", as: Self.bob)
    await scene.wait(running: ["a"], waiting: 1)
    for request in [first, second] { request.end() }
    await scene.wait(running: [], waiting: 0)
  }

  @Test func `an upload is opened when it is the caller's turn`() async throws {
    let scene = Scene()
    scene.seeBoth()
    let first = scene.beginUploadStep("first", as: Self.ann)
    await scene.wait(running: ["first"], waiting: 0)
    let assets = CountedAssets()
    let uploads = AssetUploads(
      stores: NoStores(), assets: assets, tickets: AssetTickets(signer: PlainSigner()),
      ambient: scene.ambient, requireOpenAccount: { _, _ async throws(ServerError) in },
      unheld: UnheldBytes(perUserMax: 1, perStoreMax: 1), turns: scene.expensive)
    let ticket = UploadTicket(
      address: StoreAddress(container: "iCloud.org.example", environment: .production),
      database: .public, id: "1", user: "_ann", issued: 0)
    let opening = Task { try await uploads.open(ticket, fromNothing: true) }
    while scene.expensive.count < 2, assets.openedCount == 0 { await Task.yield() }
    #expect(assets.openedCount == 0)
    first.end()
    _ = try await opening.value
    #expect(assets.openedCount == 1)
  }

  @Test func `each portion and the end of an upload are in turn`() async throws {
    let scene = Scene()
    scene.seeBoth()
    let upload = try await UploadInTurns(turns: scene.expensive, caller: Self.ann) {
      () async throws(ServerError) in CountedUpload()
    }
    let first = scene.beginUploadStep("first", as: Self.ann)
    await scene.wait(running: ["first"], waiting: 0)
    let writing = Task { try await upload.append([1, 2, 3]) }
    await scene.wait(running: ["first"], waiting: 1)
    #expect(upload.received == 0)
    first.end()
    try await writing.value
    #expect(upload.received == 3)
    let second = scene.beginUploadStep("second", as: Self.ann)
    await scene.wait(running: ["second"], waiting: 0)
    let ending = Task { try await upload.finish(as: "file") }
    await scene.wait(running: ["second"], waiting: 1)
    second.end()
    #expect(try await ending.value.size == 3)
  }
}

@Suite(.timeLimit(.minutes(15))) struct `Steps of downloads` {
  private static let ann = CallerPace.Subject(userRecordName: "_ann", apiToken: nil)

  @Test func `the downloads of an address run one step at a time while requests arrive`() async {
    let scene = Scene()
    _ = scene.expensive.isExpensive(Self.ann, endpoint: "cheap", bodySize: 0)
    let first = scene.beginDownloadStep("first", to: "192.0.2.1")
    await scene.wait(running: ["first"], waiting: 0)
    let second = scene.beginDownloadStep("second", to: "192.0.2.1")
    await scene.wait(running: ["first"], waiting: 1)
    let other = scene.beginDownloadStep("other", to: "192.0.2.2")
    await scene.wait(running: ["first", "other"], waiting: 1)
    first.end()
    await scene.wait(running: ["second", "other"], waiting: 0)
    for step in [second, other] { step.end() }
    await scene.wait(running: [], waiting: 0)
  }

  @Test
  func `the downloads of an address run one step at a time while another address downloads`() async
  {
    let scene = Scene()
    let other = scene.beginDownloadStep("other", to: "192.0.2.2")
    await scene.wait(running: ["other"], waiting: 0)
    let first = scene.beginDownloadStep("first", to: "192.0.2.1")
    await scene.wait(running: ["other", "first"], waiting: 0)
    let second = scene.beginDownloadStep("second", to: "192.0.2.1")
    await scene.wait(running: ["other", "first"], waiting: 1)
    for step in [other, first, second] { step.end() }
    await scene.wait(running: [], waiting: 0)
  }

  @Test
  func `the downloads of an address run at the same time if the address is alone`() async {
    let scene = Scene()
    _ = scene.expensive.isExpensive(Self.ann, endpoint: "cheap", bodySize: 0)
    scene.move(byMilliseconds: 1_001)
    let steps = ["a", "b", "c"].map { scene.beginDownloadStep($0, to: "192.0.2.1") }
    await scene.wait(running: ["a", "b", "c"], waiting: 0)
    for step in steps { step.end() }
    await scene.wait(running: [], waiting: 0)
  }

  /// The requests and the downloads of an app have different names, a user and an address.
  @Test func `a caller who also downloads is not limited by these downloads`() async {
    let scene = Scene()
    _ = scene.expensive.isExpensive(Self.ann, endpoint: "cheap", bodySize: 0)
    let download = scene.beginDownloadStep("download", to: "192.0.2.1")
    await scene.wait(running: ["download"], waiting: 0)
    _ = scene.expensive.isExpensive(Self.ann, endpoint: "cheap", bodySize: 0)
    let requests = ["a", "b"].map { scene.begin($0, as: Self.ann) }
    await scene.wait(running: ["download", "a", "b"], waiting: 0)
    for running in requests + [download] { running.end() }
    await scene.wait(running: [], waiting: 0)
  }

  /// An answer that has begun cannot be refused.
  @Test func `any number of steps of downloads wait`() async {
    let scene = Scene()
    scene.seeBoth()
    let count = Limits.expensiveRequestsWaitingMax + 10
    let steps = (0..<count).map { scene.beginDownloadStep("\($0)", to: "192.0.2.1") }
    while scene.expensive.count != count { await Task.yield() }
    for step in steps { step.end() }
    await scene.waitForBeginnings(count)
    await scene.wait(running: [], waiting: 0)
  }
}

/// A catalog without stores. The opening of an upload uses no store.
private struct NoStores: StoreCatalog {
  func store(at address: StoreAddress) async throws(ServerError) -> any Store { NoStore() }
}

/// A storage that only counts the uploads that were opened.
private final class CountedAssets: AssetStore {
  private let count = Mutex(0)

  var openedCount: Int { count.withLock { $0 } }

  func open(
    upload id: String, at address: StoreAddress, fromNothing: Bool
  ) async throws(ServerError) -> any AssetUpload {
    count.withLock { $0 += 1 }
    return CountedUpload()
  }

  func status(
    ofUpload id: String, at address: StoreAddress
  ) async throws(ServerError) -> AssetUploadStatus { throw .fault("a test asked for the status") }

  func note(
    _ bytes: [UInt8], ofUpload id: String, at address: StoreAddress
  ) async throws(ServerError) {}

  func discardUploads(
    at address: StoreAddress, untouchedSince time: Int64
  ) async throws(ServerError) {}

  func open(
    file: String, at address: StoreAddress
  ) async throws(ServerError) -> (any AssetFile)? { nil }

  func remove(file: String, at address: StoreAddress) async throws(ServerError) {}

  func files(
    at address: StoreAddress, after name: String?, limit: Int
  ) async throws(ServerError) -> [AssetFileEntry] { [] }
}

/// An upload that only counts its bytes.
private final class CountedUpload: AssetUpload {
  private let count = Mutex<Int64>(0)

  var received: Int64 { count.withLock { $0 } }

  func append(_ bytes: [UInt8]) async throws(ServerError) {
    count.withLock { $0 += Int64(bytes.count) }
  }

  func finish(as file: String) async throws(ServerError) -> WholeFile {
    WholeFile(checksum: [], size: received)
  }

  func close() async {}
  func discard() async {}
}

/// Requests that end when the test ends them, and a clock that the test advances.
private final class Scene: Sendable {
  private struct State {
    var now: Int64 = 1_767_225_600_000
    var running: Set<String> = []
    var begunCount = 0
  }

  private final class Box: Sendable {
    let state = Mutex(State())
  }

  /// A request in progress.
  struct Request: Sendable {
    fileprivate let continuation: AsyncStream<Void>.Continuation

    func end() { continuation.finish() }
  }

  let expensive: ExpensiveRequests
  let ambient: Ambient
  private let box = Box()

  init(perCallerMax: Int? = 1) {
    let box = box
    ambient = Ambient(now: { box.state.withLock { $0.now } }, makeUUID: { "" })
    expensive = ExpensiveRequests(
      LimitSettings(expensiveRequestsPerCallerMax: perCallerMax), ambient: ambient)
  }

  func move(byMilliseconds span: Int64) { box.state.withLock { $0.now += span } }

  /// Sends a cheap request for each of two callers, so that both callers are active.
  func seeBoth() {
    for name in ["_ann", "_bob"] {
      let subject = CallerPace.Subject(userRecordName: name, apiToken: "api")
      _ = expensive.isExpensive(subject, endpoint: "cheap", bodySize: 0)
    }
  }

  func begin(_ name: String, as subject: CallerPace.Subject) -> Request {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    Task { [expensive, box] in
      try? await expensive.run(as: subject) { () async throws(ServerError) in
        await Self.work(name, in: box, until: ends)
      }
    }
    return Request(continuation: end)
  }

  func beginUploadStep(_ name: String, as subject: CallerPace.Subject) -> Request {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    Task { [expensive, box] in
      try? await expensive.runUploadStep(as: subject) { () async throws(ServerError) in
        await Self.work(name, in: box, until: ends)
      }
    }
    return Request(continuation: end)
  }

  func beginDownloadStep(_ name: String, to address: String) -> Request {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    Task { [expensive, box] in
      await expensive.runDownloadStep(to: address) {
        await Self.work(name, in: box, until: ends)
      }
    }
    return Request(continuation: end)
  }

  private static func work(_ name: String, in box: Box, until ends: AsyncStream<Void>) async {
    box.state.withLock { state in
      state.running.insert(name)
      state.begunCount += 1
    }
    for await _ in ends {}
    box.state.withLock { _ = $0.running.remove(name) }
  }

  func wait(running: Set<String>, waiting: Int) async {
    while box.state.withLock({ $0.running }) != running
      || expensive.count != running.count + waiting
    {
      await Task.yield()
    }
  }

  func waitForBeginnings(_ count: Int) async {
    while box.state.withLock({ $0.begunCount }) != count { await Task.yield() }
  }
}
