import HTTPTypes
import NIOCore
import StratusDomain

/// The listener of a long poll. It answers with one notification and then ends.
final class PollListener: LoopListener, @unchecked Sendable {
  private let gate: ConnectionGate
  private let hub: any NotificationListening
  private let head: HTTPResponse
  private let devices: [ListeningDevice]
  private var isDone = false

  init(
    group: EventLoopDelivery, gate: ConnectionGate, hub: any NotificationListening,
    head: HTTPResponse,
    devices: [ListeningDevice]
  ) {
    self.gate = gate
    self.hub = hub
    self.head = head
    self.devices = devices
    super.init(group: group)
  }

  override func take(_ encoded: inout EncodedDelivery) {
    guard !isDone, let first = encoded.delivery.notifications.first else { return }
    leave()
    let delivery = encoded.delivery
    let hearers = devices.filter { $0.store == delivery.store && $0.user == delivery.user }
    let (hub, number) = (hub, first.number)
    gate.answer(head, first.payloadText) {
      for device in hearers { hub.consume(through: number, by: device) }
    }
  }

  override func release() {
    if isDone { return }
    leave()
    gate.answer(head, [])
  }

  func leave() {
    if isDone { return }
    isDone = true
    hub.leave(self, as: devices)
  }
}

/// The listener of a stream. It writes events when they arrive, as fast as the client reads them.
final class StreamListener: LoopListener, @unchecked Sendable {
  private let gate: ConnectionGate
  private let hub: any NotificationListening
  /// The device, and the number of the last notification that was written to the stream.
  private var device: ListeningDevice
  /// Counts the stream against the user's limit of streams. The slot is nil after the stream has
  /// ended.
  private var slot: StreamSlot?
  /// Whether the client has many bytes left to read. No further events are written meanwhile.
  private var isStalled = false
  private var silences: UInt8 = 0
  private var isDone = false

  /// If the client reads nothing for this number of heartbeat intervals, the connection is closed.
  private static let silencesMax = 2

  init(
    group: EventLoopDelivery, gate: ConnectionGate, hub: any NotificationListening,
    device: ListeningDevice, slot: StreamSlot
  ) {
    self.gate = gate
    self.hub = hub
    self.device = device
    self.slot = slot
    super.init(group: group)
  }

  func join() { hub.join(self, as: [device], until: nil) }

  override func take(_ encoded: inout EncodedDelivery) {
    let delivery = encoded.delivery
    guard !isDone, !isStalled, delivery.after <= device.position else { return }
    let isAtBeginning =
      delivery.notifications.first.map { $0.number > device.position } ?? true
    let text: ByteBuffer? =
      if delivery.notifications.isEmpty {
        nil
      } else if isAtBeginning {
        encoded.text
      } else {
        EventText.events(delivery.notifications.filter { $0.number > device.position })
      }
    device.position = max(device.position, delivery.through)
    if let text { isStalled = !gate.write(text) }
  }

  /// Is called when the client has read so many bytes that more can be written.
  func resume() {
    guard isStalled, !isDone else { return }
    isStalled = false
    silences = 0
    hub.leave(self, as: [device])
    join()
  }

  override func keepAlive() {
    if isDone { return }
    if isStalled {
      silences += 1
      if silences >= Self.silencesMax { gate.close() }
    } else {
      isStalled = !gate.write(EventText.keepAlive)
    }
  }

  override func release() {
    if isDone { return }
    leave()
    gate.end(with: EventText.end)
  }

  func leave() {
    if isDone { return }
    isDone = true
    slot = nil
    hub.leave(self, as: [device])
  }
}

/// The beginning of a stream's answer.
enum StreamHead {
  static func bytes(_ head: HTTPResponse, date: String) -> ByteBuffer {
    var head = head
    head.headerFields[.transferEncoding] = "chunked"
    var buffer = ByteBuffer()
    AnswerText.write(head, length: nil, closes: false, date: date, into: &buffer)
    var opening = EventText.keepAlive
    buffer.writeBuffer(&opening)
    return buffer
  }
}
