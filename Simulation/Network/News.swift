import StratusKit
import StratusWire

/// Tells devices that something has changed, and loses, repeats and delays it on the way.
///
/// NB: unchecked; the loop has one thread.
final class News: @unchecked Sendable {
  private let mishaps: Mishaps
  private var listeners: [(device: String, take: (NotificationPayload) -> Void, id: Int)] = []
  private var count = 0

  init(mishaps: Mishaps) { self.mishaps = mishaps }

  /// Tells everybody but who changed it.
  func spread(from device: String) {
    count += 1
    let payload = NotificationPayload(
      containerIdentifier: Cloud.container, notificationID: "notification-\(count)",
      userRecordName: Cloud.user, event: .database(subscriptionID: "subscription", .private))
    for listener in listeners where listener.device != device {
      if mishaps.happens(\.lostNotification) { continue }
      for _ in 0...(mishaps.happens(\.repeatedNotification) ? 1 : 0) {
        Loop.shared.after(mishaps.travelSeconds(slow: \.slowNotification)) {
          listener.take(payload)
        }
      }
    }
  }

  /// What a device hears while its app runs.
  func feed(of device: String, until life: Life) -> any NotificationFeed {
    Feed(news: self, device: device, life: life)
  }

  fileprivate func add(_ device: String, _ take: @escaping (NotificationPayload) -> Void) -> Int {
    count += 1
    listeners.append((device, take, count))
    return count
  }

  fileprivate func remove(_ id: Int) { listeners.removeAll { $0.id == id } }
}

private struct Feed: NotificationFeed {
  let news: News
  let device: String
  let life: Life

  func notifications() -> AsyncStream<NotificationPayload> {
    let (stream, continuation) = AsyncStream.makeStream(of: NotificationPayload.self)
    let id = news.add(device) { continuation.yield($0) }
    life.atEnd {
      news.remove(id)
      continuation.finish()
    }
    return stream
  }
}
