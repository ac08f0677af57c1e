import StratusDomain
import StratusSQL
import Synchronization

/// The entry of a store in the catalog. It opens the store when a caller uses it. The catalog asks
/// the entry to close the store when the store is idle.
///
/// If several callers need the store while it is being opened, all of them get the same result.
final class SQLiteStoreEntry: Sendable {
  fileprivate typealias Opened = Result<SQLiteStore, ServerError>

  fileprivate enum State {
    case closed
    case opening([CheckedContinuation<Opened, Never>])
    case open(SQLiteStore)
    /// The store is being closed. After that, it is opened again for the waiting callers, if there
    /// are any.
    case closing([CheckedContinuation<Opened, Never>])
    /// The store was closed permanently, and is never opened again.
    case ended
  }

  fileprivate struct Book {
    var state = State.closed
    /// The number of bodies and requests that currently use the store.
    var uses = 0
    /// The time of the last use, in milliseconds since 1970 UTC.
    var usedAt: Int64 = 0
    var isToEnd = false
    /// The callers that wait until the store has been closed permanently.
    var enders: [CheckedContinuation<Void, Never>] = []
  }

  private let address: StoreAddress
  private let opening: SQLiteStoreOpening
  private let now: @Sendable () -> Int64
  private let book = Mutex(Book())

  init(
    address: StoreAddress, opening: SQLiteStoreOpening, now: @escaping @Sendable () -> Int64
  ) {
    self.address = address
    self.opening = opening
    self.now = now
  }

  var isOpen: Bool { opened != nil }

  /// The current problem of the file, or nil if the file is closed or no problem is known.
  var problem: HealthProblem.Kind? { opened?.engine.problem }

  /// See ``SQLiteFile/releaseMemory()``.
  func releaseMemory() -> Bool { opened?.engine.releaseMemory() ?? false }

  private var opened: SQLiteStore? {
    book.withLock { book in
      if case .open(let store) = book.state { store } else { nil }
    }
  }

  /// Runs a body on the store. The store is not closed before the body has ended.
  ///
  /// - Parameter marksUse: whether this call keeps the store open for some time afterwards.
  func use<Value: Sendable>(
    marksUse: Bool, _ body: (SQLiteStore) async throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    let time = marksUse ? now() : nil
    let known = book.withLock { book -> SQLiteStore? in
      book.uses += 1
      if let time { book.usedAt = time }
      if case .open(let store) = book.state { return store }
      return nil
    }
    defer { book.withLock { $0.uses -= 1 } }
    let store: SQLiteStore
    if let known { store = known } else { store = try await openStore() }
    return try await body(store)
  }

  func isIdle(unusedSince time: Int64) -> Bool {
    book.withLock { $0.uses == 0 && $0.usedAt < time && $0.isOpen }
  }

  /// Closes the store, unless it is in use or was used after the given time.
  func close(unlessUsedSince time: Int64) async {
    let store = book.withLock { book -> SQLiteStore? in
      guard book.uses == 0, book.usedAt < time, case .open(let store) = book.state else {
        return nil
      }
      book.state = .closing([])
      return store
    }
    guard let store else { return }
    await store.engine.close()
    finishClosing()
  }

  /// Closes the store permanently, and returns when it is closed.
  func end() async {
    let store = book.withLock { book -> SQLiteStore? in
      book.isToEnd = true
      guard case .open(let store) = book.state else {
        if case .closed = book.state { book.state = .ended }
        return nil
      }
      book.state = .closing([])
      return store
    }
    if let store {
      await store.engine.close()
      finishClosing()
    }
    await withCheckedContinuation { continuation in
      let isOver = book.withLock { book -> Bool in
        if case .ended = book.state { return true }
        book.enders.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  private func finishClosing() {
    let (waiting, enders, isToEnd) = book.withLock {
      book -> (
        [CheckedContinuation<Opened, Never>], [CheckedContinuation<Void, Never>], Bool
      ) in
      var waiting: [CheckedContinuation<Opened, Never>] = []
      if case .closing(let continuations) = book.state { waiting = continuations }
      book.state = book.isToEnd ? .ended : waiting.isEmpty ? .closed : .opening(waiting)
      return (waiting, book.takeEnders(), book.isToEnd)
    }
    for ender in enders { ender.resume() }
    if isToEnd {
      for continuation in waiting { continuation.resume(returning: .failure(SQLiteFailure.closed)) }
    } else if !waiting.isEmpty {
      beginOpening()
    }
  }

  private func openStore() async throws(ServerError) -> SQLiteStore {
    let result = await withCheckedContinuation { continuation in
      wait(continuation)
    }
    return try result.get()
  }

  private func wait(_ continuation: CheckedContinuation<Opened, Never>) {
    enum Step { case answer(Opened), open, wait }
    let step = book.withLock { book -> Step in
      switch book.state {
      case .open(let store): return .answer(.success(store))
      case .ended: return .answer(.failure(SQLiteFailure.closed))
      case .closed:
        book.state = .opening([continuation])
        return .open
      case .opening(let others):
        book.state = .opening(others + [continuation])
        return .wait
      case .closing(let others):
        book.state = .closing(others + [continuation])
        return .wait
      }
    }
    switch step {
    case .answer(let result): continuation.resume(returning: result)
    case .open: beginOpening()
    case .wait: return
    }
  }

  private func beginOpening() {
    // NB: this task must not be a child of the first request's task, because the cancellation of
    // that request must not affect other callers.
    Task.detached { await self.finishOpening(await self.result()) }
  }

  private func result() async -> Opened {
    do throws(ServerError) { return .success(try await opening.open(address)) } catch {
      return .failure(error)
    }
  }

  private typealias Ending = (
    waiting: [CheckedContinuation<Opened, Never>], enders: [CheckedContinuation<Void, Never>],
    unwanted: SQLiteStore?
  )

  private func finishOpening(_ result: Opened) async {
    let (waiting, enders, unwanted) = book.withLock { book -> Ending in
      var waiting: [CheckedContinuation<Opened, Never>] = []
      if case .opening(let continuations) = book.state { waiting = continuations }
      switch result {
      case .success(let store) where book.isToEnd:
        book.state = .closing([])
        return (waiting, [], store)
      case .success(let store): book.state = .open(store)
      case .failure where book.isToEnd:
        book.state = .ended
        return (waiting, book.takeEnders(), nil)
      case .failure: book.state = .closed
      }
      return (waiting, [], nil)
    }
    for ender in enders { ender.resume() }
    let answer = unwanted == nil ? result : .failure(SQLiteFailure.closed)
    for continuation in waiting { continuation.resume(returning: answer) }
    guard let unwanted else { return }
    await unwanted.engine.close()
    finishClosing()
  }
}

extension SQLiteStoreEntry.Book {
  fileprivate var isOpen: Bool {
    if case .open = state { true } else { false }
  }

  fileprivate mutating func takeEnders() -> [CheckedContinuation<Void, Never>] {
    defer { enders = [] }
    return enders
  }
}

/// A handle with which the rest of the server uses a store. If the store is closed, the handle
/// opens it again.
struct SQLiteStoreHandle: Store {
  let entry: SQLiteStoreEntry
  /// Whether a use of the handle keeps the store open for some time afterwards.
  let marksUse: Bool

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await entry.use(marksUse: marksUse) { (store) async throws(ServerError) in
      try await store.read(body)
    }
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await entry.use(marksUse: marksUse) { (store) async throws(ServerError) in
      try await store.write(body)
    }
  }
}
