#if Postgres
  import StratusDomain

  /// Runs short bodies outside of transactions, on one connection that keeps the node's advisory
  /// locks.
  final class PostgresAutocommitWorker: PostgresWorking {
    private let connector: PostgresConnector

    init(connector: PostgresConnector) { self.connector = connector }

    func run(_ lanes: [[any PostgresJob]], whenWaiting: () -> Void) {
      for job in lanes.joined() { job.finish(failure: run(job)) }
    }

    func close() { connector.close() }

    /// NB: a body is not repeated, because the connection may be lost after the body took effect.
    private func run(_ job: any PostgresJob) -> ServerError? {
      do throws(ServerError) {
        return try connector.open().runApart(in: job.schema) { (connection) throws(ServerError) in
          job.attempt(on: connection)
        }
      } catch {
        return error
      }
    }
  }

  /// Runs short statements on the connection of a ``PostgresAutocommitWorker``.
  struct PostgresAutocommit: Sendable {
    let pool: PostgresPool
    /// The schema of the installation.
    let schema: String

    func run<Value: Sendable>(
      _ body: @escaping @Sendable (PostgresSession) throws(ServerError) -> Value
    ) async throws(ServerError) -> Value {
      let result = await withCheckedContinuation { continuation in
        pool.add(
          PostgresBody<PostgresSession, Value>(in: schema, body, continuation: continuation))
      }
      return try result.get()
    }
  }
#endif
