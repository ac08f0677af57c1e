import NIOCore
import StratusDomain
import Synchronization

/// Delivers notifications to all listeners of one event loop with a single task on that loop.
final class EventLoopDelivery: DeliveryGroup {
  private let loop: any EventLoop

  init(_ loop: any EventLoop) { self.loop = loop }

  func deliver(_ delivery: NotificationDelivery, to listeners: [any NotificationListener]) {
    loop.execute {
      var encoded = EncodedDelivery(delivery)
      for case let listener as LoopListener in listeners { listener.take(&encoded) }
    }
  }

  func keepAlive(_ listeners: [any NotificationListener]) {
    loop.execute {
      for case let listener as LoopListener in listeners { listener.keepAlive() }
    }
  }

  func release(_ listeners: [any NotificationListener]) {
    loop.execute {
      for case let listener as LoopListener in listeners { listener.release() }
    }
  }
}

/// The delivery groups of a server, one for each event loop.
final class EventLoopDeliveries: Sendable {
  private let groups = Mutex<[ObjectIdentifier: EventLoopDelivery]>([:])

  func group(of loop: any EventLoop) -> EventLoopDelivery {
    groups.withLock { groups in
      let id = ObjectIdentifier(loop)
      if let group = groups[id] { return group }
      let group = EventLoopDelivery(loop)
      groups[id] = group
      return group
    }
  }
}

/// A delivery with its encoded text. The text is encoded once for all listeners that have received
/// all earlier notifications. Other listeners get texts of their own.
struct EncodedDelivery {
  let delivery: NotificationDelivery
  private(set) lazy var text = EventText.events(delivery.notifications)

  init(_ delivery: NotificationDelivery) { self.delivery = delivery }
}

/// A listener on a connection. All its members except ``group`` are used only on the connection's
/// event loop.
class LoopListener: NotificationListener, @unchecked Sendable {
  let group: any DeliveryGroup

  init(group: any DeliveryGroup) { self.group = group }

  func take(_ encoded: inout EncodedDelivery) {}
  func keepAlive() {}
  func release() {}
}
