import CEpoll
import Glibc

/// Open notification streams that wait for events.
struct OpenStreams {
  private static let opening = Array(":\n\n\r\n".utf8)
  private static let event = Array("event: notification".utf8)
  /// The number of streams that are opened together. It is low, because the system refuses
  /// connections when its accept queue is full.
  private static let atOnce = 50

  private let poller = epoll_create1(0)
  private var descriptors: [Int32] = []

  mutating func add(
    _ count: Int, port: Int, _ request: (Int) -> [UInt8]
  ) throws(Failure) {
    for start in stride(from: 0, to: count, by: Self.atOnce) {
      var fresh: [Int32] = []
      for index in start..<min(count, start + Self.atOnce) {
        let descriptor = try Socket.connect(port: port)
        fresh.append(descriptor)
        _ = try Socket.send(request(index), from: 0, to: descriptor)
      }
      descriptors += fresh
      for descriptor in fresh {
        try Self.wait(for: Self.opening, on: descriptor)
        watch(descriptor)
      }
    }
  }

  /// Keeps the first `count` streams, and closes the others.
  mutating func keep(_ count: Int) {
    for descriptor in descriptors.dropFirst(count) { Glibc.close(descriptor) }
    descriptors = Array(descriptors.prefix(count))
  }

  func close() {
    for descriptor in descriptors { Glibc.close(descriptor) }
    Glibc.close(poller)
  }

  /// Waits until every stream has received an event.
  func awaitAll() throws(Failure) {
    var left = Set(descriptors)
    var events = [epoll_event](repeating: epoll_event(), count: 256)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !left.isEmpty {
      let ready = epoll_wait(poller, &events, 256, 10_000)
      if ready < 0, errno == EINTR { continue }
      if ready <= 0 { throw Failure("\(left.count) streams have received nothing for ten seconds") }
      for event in events[..<Int(ready)] {
        let count = recv(event.data.fd, &buffer, buffer.count, 0)
        if count <= 0 { throw Failure("a stream was closed") }
        // A stream may also get heartbeats. One read returns a whole event, because the
        // loopback device does not split it.
        if Self.has(Self.event, buffer[..<count]) { left.remove(event.data.fd) }
      }
    }
  }

  private func watch(_ descriptor: Int32) {
    Socket.stopWaiting(descriptor)
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.fd = descriptor
    epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event)
  }

  private static func wait(for text: [UInt8], on descriptor: Int32) throws(Failure) {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !has(text, received[...]) {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { throw Failure("a stream was refused") }
      received += buffer.prefix(count)
    }
  }

  private static func has(_ text: [UInt8], _ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBytes { bytes in
      text.withUnsafeBytes { text in
        cepoll_find(bytes.baseAddress, bytes.count, text.baseAddress, text.count) >= 0
      }
    }
  }
}
