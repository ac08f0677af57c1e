import StratusWire

extension CKContainer {
  /// The user's remote notifications in this container. This is an addition of Stratus; on Apple's
  /// systems the operating system delivers them to the app.
  ///
  /// ```swift
  /// for await notification in container.remoteNotifications {
  ///   if let notification = notification as? CKDatabaseNotification { … }
  /// }
  /// ```
  ///
  /// The sequence starts with the notifications that are queued for this device. It ends when its
  /// task is cancelled, and continues after lost connections. Any number of tasks may iterate, and
  /// each gets every notification. The connection to the server is open while any task iterates.
  /// The server keeps a notification for this device until every task that is iterating has asked
  /// for the next one. A program that ends earlier gets the notification again in its next run.
  ///
  /// The identity of the device outlasts the process. It is stored in the folder `STRATUS_STATE`,
  /// else `$XDG_STATE_HOME/stratus`, else `~/.local/state/stratus`. It is stored when the program
  /// first listens or saves a subscription, and later runs use it from their first request on. Each
  /// program, identified by the name of its executable, is a different device. Processes of one
  /// program that run at the same time are different devices, too. If the folder cannot be used,
  /// each run is a new device, which receives only new notifications.
  ///
  /// Choice: if no user is signed in, the sequence delivers nothing and waits until it is
  /// cancelled.
  public var remoteNotifications: RemoteNotifications {
    RemoteNotifications(feed: path.notificationFeed)
  }

  /// A sequence of remote notifications.
  public struct RemoteNotifications: AsyncSequence, Sendable {
    public typealias Element = CKNotification
    public typealias Failure = Never

    let feed: any NotificationFeed

    /// Iterates over the notifications. It counts as a listener from its first call of `next()` on.
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

    /// Makes another listener.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(payloads: feed.notifications().makeAsyncIterator())
    }
  }
}
