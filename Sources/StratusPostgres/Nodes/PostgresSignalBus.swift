#if Postgres
  import CPostgreSQL
  import Foundation
  public import StratusDomain
  import StratusSQL
  import StratusWire
  import Synchronization

  /// Signals between nodes. A node's signals to itself do not pass through PostgreSQL.
  ///
  /// A `NOTIFY` inside of a write transaction would more than halve the number of writes (measured,
  /// `nodes.md`). So the connection of ``PostgresAutocommit`` sends signals, outside of write
  /// transactions, and ``SignalPace`` bounds how often it sends equal ones.
  final class PostgresSignalBus: Sendable {
    /// A signal on its way between nodes.
    private struct Message: Hashable {
      var kind: String
      var address: StoreAddress
    }

    private struct State {
      var pace = SignalPace<Message>()
      var isClosed = false
      var listeners: [String: AsyncStream<StoreSignal>.Continuation] = [:]
    }

    /// The minimum time between two equal messages of this node.
    private static let pauseMilliseconds = 5
    /// The maximum number of signals of one kind that wait for their listener. If more arrive, the
    /// oldest are dropped. See ``LocalSignals``.
    private static let waitingMax = 256

    private let autocommit: PostgresAutocommit
    private let node: String
    private let state = Mutex(State())

    init(autocommit: PostgresAutocommit, node: String) {
      self.autocommit = autocommit
      self.node = node
    }

    /// Returns the signals of one kind of work. There is one listener for each kind.
    ///
    /// - Parameter toOthersOnly: whether the listener on this node gets only the signals of other
    ///   nodes.
    func signals(_ kind: String, toOthersOnly: Bool = false) -> PostgresSignals {
      let (received, continuation) = AsyncStream<StoreSignal>.makeStream(
        bufferingPolicy: .bufferingNewest(Self.waitingMax))
      state.withLock { $0.listeners[kind] = continuation }
      return PostgresSignals(received: received) { [self] signal in
        if !toOthersOnly { continuation.yield(signal) }
        send(Message(kind: kind, address: signal.address))
      }
    }

    /// Starts the thread that listens for other nodes.
    func listen(on url: PostgresURL) {
      let thread = Thread { [self] in
        Thread.current.name = "stratus-listen"
        let connector = PostgresConnector(name: "stratus listener", url: url) {
          [autocommit] (connection) throws(ServerError) in
          try connection.runApart(in: autocommit.schema) { (connection) throws(ServerError) in
            try connection.send(control: "LISTEN \"\(autocommit.schema)\"")
          }
        }
        while !state.withLock(\.isClosed) { wait(on: connector) }
        connector.close()
      }
      thread.start()
    }

    /// Makes the thread end, usually within a second. Later signals stay in this node.
    func close() { state.withLock { $0.isClosed = true } }

    private func wait(on connector: PostgresConnector) {
      guard let connection = try? connector.open() else { return }
      for text in connection.notifications(waitingMilliseconds: 500) { receive(text) }
    }

    private func send(_ message: Message) {
      let mustSend = state.withLock { !$0.isClosed && $0.pace.begin(message) }
      guard mustSend else { return }
      Task {
        repeat {
          await pass(message)
          try? await Task.sleep(for: .milliseconds(Self.pauseMilliseconds))
        } while state.withLock { $0.pace.endPause(of: message) }
      }
    }

    /// Sends a message to the other nodes. A lost message only makes them notice the work later.
    private func pass(_ message: Message) async {
      let text = text(of: message)
      _ = try? await autocommit.run {
        [schema = autocommit.schema] (session) throws(ServerError) in
        try session.connection.run(
          SignalStatements.send, [.text(schema), .text(text)]
        ) { _ in true }
      }
    }

    /// NB: the parts are separated by spaces, so no part may contain a space. A container's ID has
    /// at most 255 bytes, and PostgreSQL accepts payloads of almost 8,000 bytes.
    private func text(of message: Message) -> String {
      [
        node, message.kind, message.address.environment.rawValue, message.address.container,
      ].joined(separator: " ")
    }

    private func receive(_ text: String) {
      let words = text.split(separator: " ", maxSplits: 3).map(String.init)
      guard words.count == 4, words[0] != node,
        let environment = ContainerEnvironment(rawValue: words[2])
      else { return }
      let listener = state.withLock { $0.listeners[words[1]] }
      listener?.yield(
        StoreSignal(StoreAddress(container: words[3], environment: environment)))
    }
  }

  /// Signals about one kind of work, between all nodes.
  public struct PostgresSignals: Signals {
    public let received: AsyncStream<StoreSignal>
    fileprivate let sendToAll: @Sendable (StoreSignal) -> Void

    fileprivate init(
      received: AsyncStream<StoreSignal>, sendToAll: @escaping @Sendable (StoreSignal) -> Void
    ) {
      self.received = received
      self.sendToAll = sendToAll
    }

    public func send(_ signal: StoreSignal) { sendToAll(signal) }
  }

  private enum SignalStatements {
    static let send = SQLStatement("SELECT pg_notify(?, ?)")
  }

  extension PostgresConnection {
    /// Waits for notifications, and returns their payloads. Returns no payload if none arrives in
    /// time.
    func notifications(waitingMilliseconds: Int32) -> [String] {
      let socket = PQsocket(handle)
      guard socket >= 0 else { return [] }
      var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, waitingMilliseconds) > 0 else { return [] }
      guard PQconsumeInput(handle) == 1 else {
        note(PostgresFailure(of: nil, on: handle, doing: "listening"))
        return []
      }
      var texts: [String] = []
      while let found = PQnotifies(handle) {
        if let payload = found.pointee.extra { texts.append(String(cString: payload)) }
        PQfreemem(found)
      }
      return texts
    }
  }
#endif
