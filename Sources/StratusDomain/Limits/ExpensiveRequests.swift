public import StratusWire
import Synchronization

/// Limits the expensive requests that one caller runs at the same time while other callers are
/// active. A caller's further expensive requests wait until one of its own has ended. This keeps
/// the server free for the other callers.
///
/// The steps of a caller's uploads are limited in the same way, because the server computes a
/// checksum of their bytes. So are the steps of downloads, because sending bytes at full speed
/// occupies the event loops.
///
/// A request is expensive if its body is long, or if a recent request of the caller to the same
/// endpoint caused much work. A caller is not limited while no other caller is active. Downloads
/// have a rule of their own (``runDownloadStep(to:_:)``).
public final class ExpensiveRequests: Sendable {
  private typealias Waiting = CheckedContinuation<Bool, Never>

  /// The name of a line in which the steps of one kind and one caller wait.
  private struct LineName: Hashable {
    enum Kind { case requests, uploads, downloads }

    let kind: Kind
    let caller: String
  }

  private struct Line {
    var running = 0
    var waiting: [Waiting] = []
  }

  /// The callers that were active last, and the time when they last alternated.
  private struct Activity {
    private var lastCaller = ""
    private(set) var changedAt: Int64 = .min / 2

    mutating func note(_ caller: String, at now: Int64) {
      if lastCaller == caller { return }
      if !lastCaller.isEmpty { changedAt = now }
      lastCaller = caller
    }
  }

  private struct State {
    var lines: [LineName: Line] = [:]
    /// The time when an endpoint last caused much work, in milliseconds, by caller and endpoint.
    var expensiveAt: [String: Int64] = [:]
    /// The callers of requests and uploads.
    var requests = Activity()
    /// The addresses to which files are sent.
    var downloads = Activity()
    /// The time of the last request or step of an upload, in milliseconds.
    var requestedAt: Int64 = .min / 2

    mutating func note(_ caller: String, at now: Int64) {
      requests.note(caller, at: now)
      requestedAt = now
    }

    /// The time when the steps of a kind last had to share the server with another caller.
    func sharedAt(_ kind: LineName.Kind) -> Int64 {
      switch kind {
      case .requests, .uploads: requests.changedAt
      case .downloads: max(requestedAt, downloads.changedAt)
      }
    }
  }

  /// The time for which an endpoint counts as expensive for a caller after it caused much work.
  private static let rememberedMilliseconds: Int64 = 10_000
  /// After a caller has been the only active one for this time, the caller is not limited.
  private static let aloneMilliseconds: Int64 = 1_000
  private static let rememberedMax = 10_000
  private static let retryAfterSeconds = 1

  private let perCallerMax: Int?
  private let ambient: Ambient
  private let state = Mutex(State())

  /// - Parameter settings: see ``LimitSettings/expensiveRequestsPerCallerMax``.
  public init(_ settings: LimitSettings, ambient: Ambient) {
    perCallerMax = settings.expensiveRequestsPerCallerMax
    self.ambient = ambient
  }

  /// Whether a request is expected to cause much work. This method must be called for every
  /// request, because each call also records that the caller is active.
  ///
  /// - Parameter bodySize: the size of the request's body in bytes.
  public func isExpensive(
    _ subject: CallerPace.Subject, endpoint: String, bodySize: Int
  ) -> Bool {
    if perCallerMax == nil { return false }
    let caller = subject.name
    let now = ambient.now()
    return state.withLock { state in
      state.note(caller, at: now)
      if bodySize >= Limits.expensiveBodyBytesMin { return true }
      guard !state.expensiveAt.isEmpty, let time = state.expensiveAt[caller + " " + endpoint]
      else { return false }
      return abs(now - time) < Self.rememberedMilliseconds
    }
  }

  /// Remembers the endpoint for the caller if the request caused much work.
  ///
  /// - Parameters:
  ///   - answerSize: the size of the answer in bytes.
  ///   - steps: the number of units of work, each of about 1 µs.
  public func note(
    _ subject: CallerPace.Subject, endpoint: String, answerSize: Int, steps: Int
  ) {
    guard perCallerMax != nil,
      answerSize >= Limits.expensiveAnswerBytesMin || steps >= Limits.expensiveStepsMin
    else { return }
    let now = ambient.now()
    state.withLock { state in
      if state.expensiveAt.count >= Self.rememberedMax {
        state.expensiveAt = state.expensiveAt.filter {
          now - $0.value < Self.rememberedMilliseconds
        }
        if state.expensiveAt.count >= Self.rememberedMax { state.expensiveAt = [:] }
      }
      state.expensiveAt[subject.name + " " + endpoint] = now
    }
  }

  /// Runs an expensive request when it is the caller's turn.
  ///
  /// - Throws: `THROTTLED` if too many requests of the caller wait, and the errors of `body`.
  public func run<Value: Sendable>(
    as subject: CallerPace.Subject, _ body: () async throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    let line = LineName(kind: .requests, caller: subject.name)
    try await enter(line)
    defer { leave(line) }
    return try await body()
  }

  /// Runs a step of an upload when it is the caller's turn: opens the upload, writes a portion of
  /// it, or ends it. These steps form a queue of their own, so an upload never waits for the
  /// caller's requests.
  ///
  /// - Throws: `THROTTLED` if too many steps of the caller wait, and the errors of `body`.
  public func runUploadStep<Value: Sendable>(
    as subject: CallerPace.Subject, _ body: () async throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    if perCallerMax == nil { return try await body() }
    let now = ambient.now()
    state.withLock { $0.note(subject.name, at: now) }
    let line = LineName(kind: .uploads, caller: subject.name)
    try await enter(line)
    defer { leave(line) }
    return try await body()
  }

  /// Runs a step of a download when it is the turn of its address: passes a piece of a file to the
  /// connection. A download URL does not name a user, so the caller is the address.
  ///
  /// The steps of an address are limited while files are sent to other addresses, or requests
  /// arrive. These may also be requests of the same app, because a download does not name its user.
  /// A download does not count as the activity of another caller for requests and uploads.
  ///
  /// Any number of steps may wait, because an answer that has begun cannot be refused.
  ///
  /// - Parameters:
  ///   - subscriber: the address of the caller (``Caller/subscriber``).
  ///   - body: must not wait for the client.
  public func runDownloadStep<Value: Sendable>(
    to subscriber: String?, _ body: () async -> Value
  ) async -> Value {
    if perCallerMax == nil { return await body() }
    let line = LineName(kind: .downloads, caller: subscriber ?? "")
    let now = ambient.now()
    state.withLock { $0.downloads.note(line.caller, at: now) }
    _ = await isAdmitted(to: line, waitingMax: .max)
    defer { leave(line) }
    return await body()
  }

  /// The number of requests that run or wait, for tests.
  var count: Int {
    state.withLock { $0.lines.values.reduce(0) { $0 + $1.running + $1.waiting.count } }
  }

  private func enter(_ line: LineName) async throws(ServerError) {
    if await isAdmitted(to: line, waitingMax: Limits.expensiveRequestsWaitingMax) { return }
    throw ServerError(
      .throttled, LimitRule.expensiveRequestsPerCaller.reason,
      retryAfterSeconds: Self.retryAfterSeconds)
  }

  /// Waits for a turn in a line.
  ///
  /// - Returns: false if already `waitingMax` others wait.
  private func isAdmitted(to line: LineName, waitingMax: Int) async -> Bool {
    await withCheckedContinuation { (continuation: Waiting) in
      if let isAdmitted = enter(line, waitingMax, continuation) {
        continuation.resume(returning: isAdmitted)
      }
    }
  }

  /// - Returns: whether the request may run, or nil if it waits.
  private func enter(_ name: LineName, _ waitingMax: Int, _ continuation: Waiting) -> Bool? {
    let now = ambient.now()
    return state.withLock { state in
      var line = state.lines[name] ?? Line()
      defer { state.lines[name] = line }
      if line.waiting.isEmpty, line.running < bound(name.kind, state, now) {
        line.running += 1
        return true
      }
      if line.waiting.count >= waitingMax { return false }
      line.waiting.append(continuation)
      return nil
    }
  }

  private func leave(_ name: LineName) {
    let now = ambient.now()
    let admitted = state.withLock { state -> [Waiting] in
      guard var line = state.lines[name] else { return [] }
      line.running -= 1
      let free = max(0, bound(name.kind, state, now) - line.running)
      let admitted = Array(line.waiting.prefix(free))
      line.waiting.removeFirst(admitted.count)
      line.running += admitted.count
      state.lines[name] = line.running == 0 ? nil : line
      return admitted
    }
    for waiting in admitted { waiting.resume(returning: true) }
  }

  /// The number of steps of a kind that one caller may run now.
  private func bound(_ kind: LineName.Kind, _ state: State, _ now: Int64) -> Int {
    guard let perCallerMax else { return .max / 2 }
    // NB: if the clock was set back, no caller is limited for a while.
    return abs(now - state.sharedAt(kind)) > Self.aloneMilliseconds ? .max / 2 : perCallerMax
  }
}

extension CallerPace.Subject {
  /// A name for the caller. A user, an address and an API token never have the same name.
  var name: String {
    userRecordName ?? clientAddress.map { "address " + $0 } ?? "anonymous " + (apiToken ?? "")
  }
}
