#if Postgres
  import StratusDomain

  /// Runs read bodies on one connection.
  final class PostgresReader: PostgresWorking {
    private let connector: PostgresConnector

    init(connector: PostgresConnector) { self.connector = connector }

    func run(_ lanes: [[any PostgresJob]], whenWaiting: () -> Void) {
      for job in lanes.joined() { job.finish(failure: run(job)) }
    }

    func close() { connector.close() }

    /// NB: if the connection is lost, the body runs again on another connection. If a node has
    /// dropped a column meanwhile, the body runs again on the new tables. This is safe, because the
    /// body of a read writes nothing.
    private func run(_ job: any PostgresJob) -> ServerError? {
      var last: ServerError?
      for _ in 0..<PostgresLimits.connectionsPerBodyMax {
        do throws(ServerError) {
          let connection = try connector.open()
          try connection.beginRead(in: job.schema)
          job.begin(on: connection)
          let thrown = job.attempt(on: connection)
          guard let failure = connection.failure else {
            connection.endRead()
            return thrown
          }
          connection.rollback()
          job.forget(on: connection)
          last = failure.error
          guard failure.isLoss || failure.isChange else { return failure.error }
        } catch {
          last = error
        }
      }
      return last
    }
  }
#endif
