#if Postgres
  import Foundation
  import StratusDomain

  /// The connection of one thread, which is opened again after it was lost.
  final class PostgresConnector {
    private let name: String
    private let url: PostgresURL
    private let pauseSeconds: Double
    private let prepare: @Sendable (PostgresConnection) throws(ServerError) -> Void
    private var connection: PostgresConnection?
    private var hasFailed = false

    /// - Parameters:
    ///   - name: the name of the connection in PostgreSQL's lists.
    ///   - pauseSeconds: the pause after a failed attempt to connect.
    ///   - prepare: is called with each new connection, before the connection is used.
    init(
      name: String, url: PostgresURL, pauseSeconds: Double = PostgresLimits.reconnectSeconds,
      prepare: @escaping @Sendable (PostgresConnection) throws(ServerError) -> Void
    ) {
      self.name = name
      self.url = url
      self.pauseSeconds = pauseSeconds
      self.prepare = prepare
    }

    /// Returns the connection, or a new one if there is none or the old one was lost.
    ///
    /// - Throws: `TRY_AGAIN_LATER` if PostgreSQL cannot be reached, and any error of `prepare`.
    func open() throws(ServerError) -> PostgresConnection {
      if let connection, connection.isSound { return connection }
      close()
      if hasFailed { Thread.sleep(forTimeInterval: pauseSeconds) }
      hasFailed = true
      let fresh: PostgresConnection
      do throws(PostgresFailure) {
        fresh = try PostgresConnection(to: url, name: name)
      } catch {
        throw error.error
      }
      do throws(ServerError) { try prepare(fresh) } catch {
        fresh.close()
        throw error
      }
      hasFailed = false
      connection = fresh
      return fresh
    }

    func close() {
      connection?.close()
      connection = nil
    }
  }
#endif
