import NIOCore
import StratusDomain
import Synchronization

/// Reaches all listeners of one event loop with a single task on that loop.
final class LoopLane: NotificationLane {
  private let loop: any EventLoop

  init(_ loop: any EventLoop) { self.loop = loop }

  func deliver(_ delivery: NotificationDelivery, to listeners: [any NotificationListener]) {
    loop.execute {
      var parcel = LoopParcel(delivery)
      for case let listener as LoopListener in listeners { listener.take(&parcel) }
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

/// The lanes of a server, one for each event loop.
final class LoopLanes: Sendable {
  private let lanes = Mutex<[ObjectIdentifier: LoopLane]>([:])

  func lane(of loop: any EventLoop) -> LoopLane {
    lanes.withLock { lanes in
      let id = ObjectIdentifier(loop)
      if let lane = lanes[id] { return lane }
      let lane = LoopLane(loop)
      lanes[id] = lane
      return lane
    }
  }
}

/// A delivery and its text. The text is encoded once for all listeners at the delivery's start.
struct LoopParcel {
  let delivery: NotificationDelivery
  private(set) lazy var text = EventText.events(delivery.notifications)

  init(_ delivery: NotificationDelivery) { self.delivery = delivery }
}

/// A listener on a connection. Everything except ``lane`` happens on the connection's event loop.
class LoopListener: NotificationListener, @unchecked Sendable {
  let lane: any NotificationLane

  init(lane: any NotificationLane) { self.lane = lane }

  func take(_ parcel: inout LoopParcel) {}
  func keepAlive() {}
  func release() {}
}
