import Glibc

/// A connection that sends one request at a time, and waits for its answer.
final class Exchange {
  let descriptor: Int32
  private var reader = ResponseReader()

  /// Opens a connection.
  ///
  /// - Parameter acceptsRefusals: true if the connection accepts an answer that refuses the
  ///   request. Otherwise, such an answer is thrown as an error.
  init(port: Int, acceptsRefusals: Bool = false) throws(Failure) {
    descriptor = try Socket.connect(port: port)
    reader.acceptsRefusals = acceptsRefusals
  }

  deinit { close(descriptor) }

  /// Sends a request, and waits for the answer.
  ///
  /// - Returns: the body of the answer.
  func send(_ request: RequestTemplate) throws(Failure) -> ArraySlice<UInt8> {
    var sent = 0
    while sent < request.bytes.count {
      sent += try Socket.send(request.bytes, from: sent, to: descriptor)
    }
    return try receive()
  }

  /// Reads the body of the answer to the last request.
  func receive() throws(Failure) -> ArraySlice<UInt8> {
    reader.startAnswer()
    while try !reader.receive(from: descriptor) {}
    return reader.body
  }

  /// Sends a request, and measures the time in nanoseconds until the answer is complete.
  func time(
    _ request: RequestTemplate
  ) throws(Failure) -> (body: ArraySlice<UInt8>, nanoseconds: Int64) {
    let start = Clock.nanoseconds()
    let body = try send(request)
    return (body, Clock.nanoseconds() - start)
  }
}
