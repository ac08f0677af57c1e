public import StratusWire
import Synchronization

/// Tells the pages of the console which parts of the server have changed.
///
/// The pages learn only of changes that requests to this process made. A request never waits for a
/// listener: changes wait in the listener's mailbox, which stores equal changes only once.
public final class ConsoleNews: Sendable {
  private let mailboxes = Mutex<[Int: Mailbox]>([:])
  private let nextListener = Mutex(0)
  /// Whether there is a mailbox. Each save reads this, so that it needs no lock while no page is
  /// open.
  private let hasListeners = Atomic(false)

  public init() {}

  /// Notes a successful request to a database.
  public func note(endpoint: String, in address: DatabaseAddress) {
    guard hasListeners.load(ordering: .relaxed), Self.changes(endpoint) else { return }
    note(
      ConsoleChange(
        area: Self.area(of: endpoint), containerID: address.store.container,
        environment: address.store.environment, database: address.scope))
  }

  /// Notes a successful request to the management interface.
  ///
  /// - Parameter sent: the body of the request.
  public func note(managementEndpoint endpoint: String, sent: [UInt8]) {
    if ConsolePermission.reads.contains(endpoint) || !hasListeners.load(ordering: .relaxed) {
      return
    }
    // NB: the handler has accepted the body already, so the body can be read unless it is empty.
    let subject = (try? JSONView(parsing: sent)).flatMap { try? ConsoleSubject(json: $0) }
    if subject?.isDryRun == true { return }
    note(
      ConsoleChange(
        area: Self.area(of: endpoint), containerID: subject?.containerID,
        environment: subject?.environment))
  }

  func note(_ change: ConsoleChange) {
    for mailbox in mailboxes.withLock({ $0 }).values { mailbox.put(change) }
  }

  /// Returns a mailbox that gets each change from now on, until its ``Mailbox/signals`` end.
  public func listen() -> Mailbox {
    let id = nextListener.withLock { number in
      number += 1
      return number
    }
    let mailbox = Mailbox { [weak self] in self?.set(nil, of: id) }
    set(mailbox, of: id)
    return mailbox
  }

  private func set(_ mailbox: Mailbox?, of listener: Int) {
    mailboxes.withLock { mailboxes in
      mailboxes[listener] = mailbox
      hasListeners.store(!mailboxes.isEmpty, ordering: .relaxed)
    }
  }

  /// The database endpoints that change something that a screen of the console shows.
  private static let changingEndpoints = [
    ModifyRecords.path, ModifySubscriptions.path, ModifyZones.path,
  ]

  /// Whether an endpoint of a database changes what a screen of the console shows.
  public static func changes(_ endpoint: String) -> Bool { changingEndpoints.contains(endpoint) }

  /// NB: each save calls this while a page is open, and a search for a byte takes less time than
  /// one for a character.
  private static func area(of endpoint: String) -> String {
    String(decoding: endpoint.utf8.prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)
  }

  /// The changes that one page does not know yet.
  public final class Mailbox: Sendable {
    /// Yields when there are new changes. One element may stand for many changes.
    public let signals: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let changes = Mutex<Set<ConsoleChange>>([])

    /// The maximum number of different changes that wait. If there are more, they are replaced by
    /// one change that means that everything may have changed.
    private static let changesMax = 64

    fileprivate init(whenEnded end: @escaping @Sendable () -> Void) {
      (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
      continuation.onTermination = { _ in end() }
    }

    /// Adds a change, and yields a signal if no other change waits.
    ///
    /// NB: there was a signal for the changes that wait already, and the page takes all changes
    /// after each signal. So a zone that gets many saves causes one signal each time that the page
    /// has taken the changes.
    public func put(_ change: ConsoleChange) {
      let isFirst = changes.withLock { changes in
        let isFirst = changes.isEmpty
        if changes.count >= Self.changesMax {
          changes = [ConsoleChange(area: ConsoleChange.everything)]
        } else {
          changes.insert(change)
        }
        return isFirst
      }
      if isFirst { continuation.yield() }
    }

    /// Returns the changes since the last call. A page calls this after each signal.
    public func take() -> Set<ConsoleChange> {
      changes.withLock { changes in
        defer { changes = [] }
        return changes
      }
    }
  }
}
