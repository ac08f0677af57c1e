import StratusWire

extension CKContainer {
  /// The user's remote notifications in this container. This property is an addition of Stratus. On
  /// Apple's systems, the operating system delivers notifications to the app.
  ///
  /// ```swift
  /// for await notification in container.remoteNotifications {
  ///   if let notification = notification as? CKDatabaseNotification { … }
  /// }
  /// ```
  ///
  /// The sequence starts with the notifications that are queued for this device. It continues after
  /// lost connections, and ends when the task that iterates over it is cancelled. Any number of
  /// tasks may iterate over the sequence, and each task gets every notification. The connection to
  /// the server is open while any task iterates. The server keeps a notification for this device
  /// until every task that is iterating has asked for the next notification. A program that ends
  /// earlier gets the notification again in its next run.
  ///
  /// The identity of the device outlasts the process. It is stored in the folder `STRATUS_STATE`,
  /// or else in `$XDG_STATE_HOME/stratus` or `~/.local/state/stratus`. A program stores its
  /// identity when it first listens or saves a subscription. Every request of a later run has this
  /// identity. Each program, identified by the name of its executable, is a different
  /// device. Processes of one program that run at the same time are also different devices. If the
  /// folder cannot be used, each run is a new device, which receives only new notifications.
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

    /// Iterates over the notifications. The first call of `next()` registers the iterator as a
    /// listener.
    public struct AsyncIterator: AsyncIteratorProtocol {
      public typealias Element = CKNotification
      public typealias Failure = Never

      fileprivate var payloads: AsyncStream<NotificationPayload>.Iterator

      /// Returns the next notification, or nil if the task is cancelled.
      public mutating func next() async -> CKNotification? {
        await payloads.next().map(CKNotification.make)
      }

      /// Returns the next notification, or nil if the task is cancelled.
      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async -> CKNotification? {
        await payloads.next(isolation: actor).map(CKNotification.make)
      }
    }

    /// Makes an iterator, which is an independent listener.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(payloads: feed.notifications().makeAsyncIterator())
    }
  }
}
