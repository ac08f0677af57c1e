import CEpoll
import Glibc

/// One of the connections of a ``LoadGenerator``.
final class LoadConnection {
  private let descriptor: Int32
  private let poller: Int32
  private var template: RequestTemplate
  private var reader = ResponseReader()
  private var sent = 0
  private var startedAt: Int64 = 0
  private var index: UInt32 = 0
  private var waitsForCapacity = false

  init(descriptor: Int32, poller: Int32, template: RequestTemplate) {
    self.descriptor = descriptor
    self.poller = poller
    self.template = template
    Socket.stopWaiting(descriptor)
  }

  func end() { close(descriptor) }

  /// Registers the connection with `epoll`, which then reports its events with this index.
  func register(at index: Int) throws(Failure) {
    self.index = UInt32(index)
    try watch(EPOLL_CTL_ADD, EPOLLIN.rawValue)
  }

  func start(_ nextName: () -> UInt64) throws(Failure) {
    template.setNames(nextName)
    reader.startAnswer()
    sent = 0
    startedAt = Clock.nanoseconds()
    try continueSending()
  }

  func continueSending() throws(Failure) {
    sent += try Socket.send(template.bytes, from: sent, to: descriptor)
    let isFull = sent < template.bytes.count
    if isFull == waitsForCapacity { return }
    waitsForCapacity = isFull
    try watch(EPOLL_CTL_MOD, isFull ? EPOLLIN.rawValue | EPOLLOUT.rawValue : EPOLLIN.rawValue)
  }

  /// Reads available bytes.
  ///
  /// - Returns: the time in nanoseconds from the start of the request to the end of the answer, or
  ///   nil if the answer is not complete yet.
  func receive() throws(Failure) -> Int64? {
    guard try reader.receive(from: descriptor) else { return nil }
    return Clock.nanoseconds() - startedAt
  }

  private func watch(_ action: Int32, _ events: UInt32) throws(Failure) {
    var event = epoll_event()
    event.events = events
    event.data.u32 = index
    if epoll_ctl(poller, action, descriptor, &event) != 0 {
      throw Failure("epoll refused a socket: \(String(cString: strerror(errno)))")
    }
  }
}
