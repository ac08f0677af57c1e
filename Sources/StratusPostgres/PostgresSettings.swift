#if Postgres
  import StratusWire

  /// The settings of the storage in PostgreSQL.
  public struct PostgresSettings: Sendable {
    public var url: PostgresURL
    /// The schema of the tables that belong to the whole installation. The schemas of stores begin
    /// with this name.
    public var schema = "stratus"
    /// The number of connections that write. Choice: several commits can share a flush if there are
    /// more connections than the database server has processors.
    public var writersMax = 16
    /// The number of connections that read.
    public var readersMax = 8
    /// The number of bodies that may wait. See ``LimitSettings/storeWaitingMax``.
    public var waitingMax = Limits.storeWaitingMax
    /// Whether the server starts although a failover may lose acknowledged writes.
    public var allowsLoss = false

    public init(url: PostgresURL) { self.url = url }

    /// The settings of every connection.
    ///
    /// - With `force_generic_plan` and the planner's settings, PostgreSQL uses the plans that the
    ///   tests check. Every statement is written to read rows through an index.
    /// - `idle_in_transaction_session_timeout` ends the transaction of a node that was paused, so
    ///   that the node's locks are released.
    /// - `synchronous_commit` must not be turned off by the settings of a role.
    ///
    /// There is no `statement_timeout`, for two reasons: the limits of the handlers bound the work
    /// of a body, and the removal of a container's stores may take long.
    static let session = """
      SET plan_cache_mode = force_generic_plan;
      SET enable_seqscan = off;
      SET enable_hashjoin = off;
      SET enable_mergejoin = off;
      SET jit = off;
      SET lock_timeout = '10s';
      SET idle_in_transaction_session_timeout = '15s';
      SET client_connection_check_interval = '5s';
      SET tcp_keepalives_idle = 5;
      SET tcp_keepalives_interval = 2;
      SET tcp_keepalives_count = 3;
      SET client_min_messages = warning;
      SET bytea_output = hex;
      SET synchronous_commit = on;
      """
  }

  /// Bounds of the engine.
  enum PostgresLimits {
    /// The maximum number of bodies that share a transaction. Choice: with 16 bodies, a commit
    /// takes less time than the bodies (measured, `nodes.md`).
    static let bodiesPerCommitMax = 16
    /// The maximum number of lanes whose bodies share a transaction. With 1, each lane has
    /// transactions of its own. Choice: PostgreSQL notes the single pages and rows of a table that
    /// a transaction has read only up to 31 (`max_pred_locks_per_relation`). With more, the whole
    /// table counts as read, and each concurrent write to it is a conflict.
    static let lanesPerCommitMax = 16
    /// The number of threads that work on short bodies if few lanes wait. Choice: one transaction
    /// can run while another one waits for its commit. Each further transaction at the same time
    /// makes the transactions smaller, and conflicts more frequent (measured, `nodes.md`).
    static let laneThreads = 2
    /// If no transaction of short bodies ends for this time, a further thread works on them.
    static let stuckSeconds = 0.1
    /// The maximum number of attempts of a transaction of several lanes, if it conflicts.
    static let attemptsTogether = 3
    /// The maximum number of attempts of a transaction that conflicts with others.
    static let attemptsMax = 50
    /// The number of attempts after which a transaction also takes the lock of its store.
    static let attemptsWithoutStoreLock = 2
    /// The maximum number of connections that are tried before a body is refused.
    static let connectionsPerBodyMax = 3
    /// The maximum number of connections that are tried to find out the outcome of a commit.
    /// Choice: with the pauses between them, these take 15 seconds or more, which is enough for
    /// many failovers.
    static let connectionsPerOutcomeMax = 30
    /// The pause after a failed connection, so that an unreachable server gets no flood of
    /// attempts.
    static let reconnectSeconds = 0.5
    /// The size of a thread's stack in bytes. It is large, because bodies decode JSON recursively.
    static let stackSizeBytes = 4 << 20
    /// The maximum number of schemas for which a connection keeps an `SQLSession`. Each session
    /// takes up to 1 MB.
    static let sessionsMax = 64
  }
#endif
