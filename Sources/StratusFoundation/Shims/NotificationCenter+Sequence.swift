public import Foundation

extension NotificationCenter {
  /// The notifications of a name, as they are posted; Foundation on Linux lacks this method.
  ///
  /// An iterator gets what is posted after it was made.
  /// - Parameters:
  ///   - name: of the notifications.
  ///   - object: only notifications that it posts; nil: of any object.
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

    /// Notifications that wait for a slow reader; the oldest go. Choice: enough for any burst that
    /// an app makes of itself.
    static let waitingMax = 1_024

    public func makeAsyncIterator() -> Iterator {
      let (stream, continuation) = AsyncStream.makeStream(
        of: Parcel.self, bufferingPolicy: .bufferingNewest(Self.waitingMax))
      let observer = center.addObserver(forName: name, object: object, queue: nil) {
        continuation.yield(Parcel(notification: $0))
      }
      let watch = Watch(center: center, observer: observer)
      return Iterator(parcels: stream.makeAsyncIterator(), watch: watch)
    }

    /// Gives one notification after another, until its task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
      var parcels: AsyncStream<Parcel>.Iterator
      let watch: Watch

      public mutating func next() async -> Notification? { await parcels.next()?.notification }
    }
  }

  /// NB: a notification may hold anything; the poster and the reader share it, as they do where a
  /// block observes.
  struct Parcel: @unchecked Sendable { let notification: Notification }

  /// Observes for as long as an iterator lives.
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
