public import StratusWire
import Synchronization

/// Tells the pages of the console which parts of the server have changed.
///
/// The pages learn only of changes that requests to this process made. A request never waits for a
/// listener: changes wait in the listener's mailbox, which stores equal changes only once.
public final class ConsoleNews: Sendable {
  private let mailboxes = Mutex<[Int: Mailbox]>([:])
  private let nextListener = Mutex(0)

  public init() {}

  /// Notes a successful request to a database.
  public func note(endpoint: String, in address: DatabaseAddress) {
    guard Self.changes(endpoint) else { return }
    note(
      ConsoleChange(
        area: Self.area(of: endpoint), containerID: address.store.container,
        environment: address.store.environment, database: address.scope))
  }

  /// Notes a successful request to the management interface.
  ///
  /// - Parameter sent: the body of the request.
  public func note(managementEndpoint endpoint: String, sent: [UInt8]) {
    if ConsolePermission.reads.contains(endpoint) || mailboxes.withLock({ $0.isEmpty }) { return }
    // NB: the handler has accepted the body already, so the body can be read unless it is empty.
    let subject = (try? JSONView(parsing: sent)).flatMap { try? ConsoleSubject(json: $0) }
    if subject?.isDryRun == true { return }
    note(
      ConsoleChange(
        area: Self.area(of: endpoint), containerID: subject?.containerID,
        environment: subject?.environment))
  }

  func note(_ change: ConsoleChange) {
    for mailbox in mailboxes.withLock({ Array($0.values) }) { mailbox.put(change) }
  }

  /// Returns a mailbox that gets each change from now on, until its ``Mailbox/signals`` end.
  public func listen() -> Mailbox {
    let id = nextListener.withLock { number in
      number += 1
      return number
    }
    let mailbox = Mailbox { [weak self] in
      _ = self?.mailboxes.withLock { $0.removeValue(forKey: id) }
    }
    mailboxes.withLock { $0[id] = mailbox }
    return mailbox
  }

  /// The database endpoints that change something that a screen of the console shows.
  private static let changingEndpoints: Set<String> = [
    ModifyRecords.path, ModifySubscriptions.path, ModifyZones.path,
  ]

  /// Whether an endpoint of a database changes what a screen of the console shows.
  public static func changes(_ endpoint: String) -> Bool { changingEndpoints.contains(endpoint) }

  private static func area(of endpoint: String) -> String {
    String(endpoint.prefix { $0 != "/" })
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

    /// Adds a change, and yields a signal.
    public func put(_ change: ConsoleChange) {
      changes.withLock { changes in
        if changes.count >= Self.changesMax {
          changes = [ConsoleChange(area: ConsoleChange.everything)]
        } else {
          changes.insert(change)
        }
      }
      continuation.yield()
    }

    /// Returns the changes since the last call.
    public func take() -> Set<ConsoleChange> {
      changes.withLock { changes in
        defer { changes = [] }
        return changes
      }
    }
  }
}
