import Glibc

/// One connection on which a request is sent and its answer awaited.
final class Exchange {
  let descriptor: Int32
  private var reader = ResponseReader()

  /// - Parameter acceptsRefusals: whether an answer that refuses the request is an answer, too.
  init(port: Int, acceptsRefusals: Bool = false) throws(Failure) {
    descriptor = try Socket.connect(port: port)
    reader.acceptsRefusals = acceptsRefusals
  }

  deinit { close(descriptor) }

  /// - Returns: the body of the answer.
  func send(_ request: RequestTemplate) throws(Failure) -> ArraySlice<UInt8> {
    var sent = 0
    while sent < request.bytes.count {
      sent += try Socket.send(request.bytes, from: sent, to: descriptor)
    }
    return try receive()
  }

  /// The body of the answer to what was sent.
  func receive() throws(Failure) -> ArraySlice<UInt8> {
    reader.startAnswer()
    while try !reader.receive(from: descriptor) {}
    return reader.body
  }

  /// As ``send(_:)``, and how long it took in nanoseconds.
  func time(
    _ request: RequestTemplate
  ) throws(Failure) -> (body: ArraySlice<UInt8>, nanoseconds: Int64) {
    let start = Clock.nanoseconds()
    let body = try send(request)
    return (body, Clock.nanoseconds() - start)
  }
}
