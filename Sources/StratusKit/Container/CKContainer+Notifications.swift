import StratusWire

extension CKContainer {
  /// The user's remote notifications in this container: an addition of Stratus, in place of what
  /// the operating system hands to an app on Apple's.
  ///
  /// ```swift
  /// for await notification in container.remoteNotifications {
  ///   if let notification = notification as? CKDatabaseNotification { … }
  /// }
  /// ```
  ///
  /// It begins with what has waited for this device, ends when its task is cancelled, and outlives
  /// lost connections. Any number of tasks may iterate: each gets every notification. The
  /// connection to the server is open while one does. The server keeps a notification for this
  /// device until every task that iterates at that moment is done with it, and so asks for the
  /// next; a program that ends before has it again in its next run.
  ///
  /// Which device this is outlasts the process, in the folder `STRATUS_STATE`, else
  /// `$XDG_STATE_HOME/stratus`, else `~/.local/state/stratus`: from the first time that somebody
  /// listens or saves a subscription, and then from each run's first request. Programs are
  /// different devices, told apart by the names of their executables, and so are processes of one
  /// program that run at the same time. Where the folder cannot be used, the device is new each
  /// time, and begins with what comes from then on.
  ///
  /// Choice: without a user there is nothing to hear; the sequence then waits until it is
  /// cancelled.
  public var remoteNotifications: RemoteNotifications {
    RemoteNotifications(feed: path.notificationFeed)
  }

  /// Remote notifications as they arrive.
  public struct RemoteNotifications: AsyncSequence, Sendable {
    public typealias Element = CKNotification
    public typealias Failure = Never

    let feed: any NotificationFeed

    /// One who listens, from its first element on.
    public struct AsyncIterator: AsyncIteratorProtocol {
      public typealias Element = CKNotification
      public typealias Failure = Never

      fileprivate var payloads: AsyncStream<NotificationPayload>.Iterator

      /// The next notification; nil once the task is cancelled.
      public mutating func next() async -> CKNotification? {
        await payloads.next().map(CKNotification.make)
      }

      /// The next notification; nil once the task is cancelled.
      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async -> CKNotification? {
        await payloads.next(isolation: actor).map(CKNotification.make)
      }
    }

    /// One more who listens.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(payloads: feed.notifications().makeAsyncIterator())
    }
  }
}
