import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusPush

/// The server's end of a connection that carries notifications.
struct ServerStream: Sendable {
  let head: HTTPResponse
  /// The written bytes, with one element for each event.
  let events: AsyncStream<[UInt8]>
  /// Notifies the server that the connection is closed.
  let close: @Sendable () -> Void
}

extension ServerProcess {
  /// Answers a request for a stream.
  func open(_ request: HTTPRequest) async -> ServerStream {
    let (events, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    switch await router.listen(request) {
    case .stream(let head, let device, _):
      let listener = group.makeListener(device) { continuation.yield($0) }
      hub.join(listener, as: [device], until: nil)
      return ServerStream(head: head, events: events) { [hub] in
        hub.leave(listener, as: [device])
        continuation.finish()
      }
    case .refusal(let head, _), .poll(let head, _, _):
      continuation.finish()
      return ServerStream(head: head, events: events, close: {})
    }
  }
}

/// Writes notifications to connections, as a task on an event loop does.
///
/// If one call writes to several connections, the order does not depend on the memory addresses of
/// the listeners, by which the hub identifies them.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class SimulatedDeliveryGroup: DeliveryGroup, @unchecked Sendable {
  private var listenersCount = 0
  private var waiting: [(listener: SimulatedListener, delivery: NotificationDelivery)] = []

  func makeListener(
    _ device: ListeningDevice, write: @escaping ([UInt8]) -> Void
  ) -> SimulatedListener {
    listenersCount += 1
    return SimulatedListener(number: listenersCount, device: device, group: self, write: write)
  }

  func deliver(_ delivery: NotificationDelivery, to listeners: [any NotificationListener]) {
    if waiting.isEmpty { Loop.shared.soon { self.write() } }
    for case let listener as SimulatedListener in listeners { waiting.append((listener, delivery)) }
  }

  private func write() {
    let all = waiting.enumerated().sorted {
      ($0.element.listener.number, $0.offset) < ($1.element.listener.number, $1.offset)
    }
    waiting = []
    for (_, element) in all { element.listener.take(element.delivery) }
  }

  func keepAlive(_ listeners: [any NotificationListener]) {}
  func release(_ listeners: [any NotificationListener]) {}
}

/// The listener of a connection. The hub calls it.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class SimulatedListener: NotificationListener, @unchecked Sendable {
  let number: Int
  let group: any DeliveryGroup
  /// The device, and the number up to which all notifications were written.
  private var device: ListeningDevice
  private let write: ([UInt8]) -> Void

  init(
    number: Int, device: ListeningDevice, group: any DeliveryGroup,
    write: @escaping ([UInt8]) -> Void
  ) {
    self.number = number
    self.device = device
    self.group = group
    self.write = write
  }

  func take(_ delivery: NotificationDelivery) {
    guard delivery.after <= device.position else { return }
    for notification in delivery.notifications where notification.number > device.position {
      write(
        Array("id: \(notification.number)\nevent: notification\ndata: ".utf8)
          + notification.payloadText + Array("\n\n".utf8))
    }
    device.position = max(device.position, delivery.through)
  }
}
