public import Foundation

extension NotificationCenter {
  /// Returns a sequence that delivers the notifications with this name. Foundation on Linux does
  /// not have this method.
  ///
  /// An iterator receives the notifications that are posted after the iterator was created.
  /// - Parameters:
  ///   - name: the name of the notifications.
  ///   - object: the object whose notifications are delivered, or nil for those of all objects.
  public func notifications(
    named name: Notification.Name, object: (any AnyObject & Sendable)? = nil
  ) -> Notifications {
    Notifications(center: self, name: name, object: object)
  }

  /// A sequence of notifications; see ``notifications(named:object:)``.
  public struct Notifications: AsyncSequence, @unchecked Sendable {
    public typealias Element = Notification
    public typealias Failure = Never

    let center: NotificationCenter
    let name: Notification.Name
    let object: (any AnyObject & Sendable)?

    /// The maximum number of buffered notifications for a slow reader. If there are more, the
    /// oldest are dropped. Choice: large enough for any burst that an app causes.
    static let waitingMax = 1_024

    public func makeAsyncIterator() -> Iterator {
      let (stream, continuation) = AsyncStream.makeStream(
        of: Received.self, bufferingPolicy: .bufferingNewest(Self.waitingMax))
      let observer = center.addObserver(forName: name, object: object, queue: nil) {
        continuation.yield(Received(notification: $0))
      }
      let watch = Watch(center: center, observer: observer)
      return Iterator(parcels: stream.makeAsyncIterator(), watch: watch)
    }

    /// Delivers one notification after another until its task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
      var parcels: AsyncStream<Received>.Iterator
      let watch: Watch

      public mutating func next() async -> Notification? { await parcels.next()?.notification }
    }
  }

  /// NB: the compiler does not check whether this type is `Sendable`, because a notification may
  /// contain values of any type. The poster and the reader share the notification, in the same way
  /// as a poster and an observer's block do.
  struct Received: @unchecked Sendable { let notification: Notification }

  /// Observes the notifications while an iterator exists.
  final class Watch: @unchecked Sendable {
    private let center: NotificationCenter
    private let observer: any NSObjectProtocol

    init(center: NotificationCenter, observer: any NSObjectProtocol) {
      self.center = center
      self.observer = observer
    }

    deinit { center.removeObserver(observer) }
  }
}
