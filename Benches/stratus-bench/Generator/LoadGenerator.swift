import CEpoll
import Glibc

/// Keeps a number of connections busy. Each connection sends a request as soon as the previous
/// request is answered.
///
/// The generator uses one thread and `epoll`. It needs about as much processor time as the load
/// generator `wrk`.
struct LoadGenerator {
  /// The condition that ends a run.
  enum Bound {
    case seconds(warmUp: Double, measured: Double)
    case requests(Int)
  }

  /// The result of a measurement.
  struct Load {
    var requests = 0
    var seconds = 0.0
    /// The processor time that the server used, in microseconds.
    var processorTime = 0.0
    /// The latencies of the requests in nanoseconds, sorted.
    var latencies: [Int64] = []

    var requestsPerSecond: Double { Double(requests) / seconds }
    var processorTimePerRequest: Double { processorTime / Double(max(1, requests)) }
  }

  let server: ServerProcess
  let connections: Int
  let bound: Bound
  /// Returns the number of the next record name.
  let nextName: () -> UInt64

  func run(_ template: RequestTemplate) throws(Failure) -> Load {
    let poller = epoll_create1(0)
    defer { close(poller) }
    var open: [LoadConnection] = []
    defer { for connection in open { connection.end() } }
    for index in 0..<connections {
      let descriptor = try Socket.connect(port: server.port)
      open.append(LoadConnection(descriptor: descriptor, poller: poller, template: template))
      try open[index].register(at: index)
    }
    var run = Run(bound: bound, processID: server.processID)
    for connection in open where run.maySend() { try connection.start(nextName) }
    try serve(open, poller, &run)
    run.load.latencies.sort()
    return run.load
  }

  private func serve(
    _ open: [LoadConnection], _ poller: Int32, _ run: inout Run
  ) throws(Failure) {
    var events = [epoll_event](repeating: epoll_event(), count: 64)
    while run.underWay > 0 {
      let ready = epoll_wait(poller, &events, 64, 10_000)
      if ready < 0, errno == EINTR { continue }
      if ready <= 0 { throw Failure("the server has not answered for ten seconds") }
      for event in events[..<Int(ready)] {
        let connection = open[Int(event.data.u32)]
        if event.events & EPOLLOUT.rawValue != 0 { try connection.continueSending() }
        guard event.events & ~EPOLLOUT.rawValue != 0,
          let nanoseconds = try connection.receive()
        else { continue }
        run.answered(nanoseconds)
        if run.maySend() { try connection.start(nextName) }
      }
    }
  }
}

/// The state of one run.
private struct Run {
  let bound: LoadGenerator.Bound
  let processID: Int32
  var load = LoadGenerator.Load()
  private(set) var underWay = 0
  private var sent = 0
  private let start = Clock.nanoseconds()
  private var measuredFrom: Int64?
  private var processorTimeBefore = 0.0
  private var isOver = false

  init(bound: LoadGenerator.Bound, processID: Int32) {
    self.bound = bound
    self.processID = processID
    load.latencies.reserveCapacity(1 << 18)
  }

  mutating func maySend() -> Bool {
    if isOver { return false }
    if case .requests(let count) = bound, sent >= count { return false }
    sent += 1
    underWay += 1
    return true
  }

  mutating func answered(_ nanoseconds: Int64) {
    underWay -= 1
    if isOver { return }
    let now = Clock.nanoseconds()
    switch bound {
    case .requests(let count):
      if measuredFrom == nil { begin(at: start) }
      note(nanoseconds)
      if load.requests == count { finish(at: now) }
    case .seconds(let warmUp, let measured):
      guard let measuredFrom else {
        if Double(now - start) >= warmUp * 1e9 { begin(at: now) }
        return
      }
      note(nanoseconds)
      if Double(now - measuredFrom) >= measured * 1e9 { finish(at: now) }
    }
  }

  private mutating func begin(at moment: Int64) {
    measuredFrom = moment
    processorTimeBefore = ProcessorTime.microseconds(of: processID) ?? 0
  }

  private mutating func note(_ nanoseconds: Int64) {
    load.requests += 1
    load.latencies.append(nanoseconds)
  }

  private mutating func finish(at moment: Int64) {
    isOver = true
    load.seconds = Double(moment - (measuredFrom ?? start)) / 1e9
    load.processorTime =
      (ProcessorTime.microseconds(of: processID) ?? 0) - processorTimeBefore
  }
}
