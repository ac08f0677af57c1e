import Glibc

/// Opens connections to a server on this machine, and sends bytes.
enum Socket {
  /// - Returns: the descriptor of a connected socket with blocking reads.
  static func connect(port: Int) throws(Failure) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure("no socket: \(String(cString: strerror(errno)))") }
    var on: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(clamping: port)).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result != 0 {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw Failure("no connection to port \(port): \(reason)")
    }
    return descriptor
  }

  static func stopWaiting(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK)
  }

  /// Sends the bytes from an offset to the end.
  ///
  /// - Returns: the number of bytes sent. It is smaller than the number of remaining bytes if the
  ///   socket's buffer is full.
  static func send(
    _ bytes: [UInt8], from offset: Int, to descriptor: Int32
  ) throws(Failure) -> Int {
    let count = bytes.withUnsafeBytes { buffer -> Int in
      guard let start = buffer.baseAddress else { return 0 }
      return Glibc.send(
        descriptor, start + offset, buffer.count - offset, Int32(MSG_NOSIGNAL))
    }
    if count >= 0 { return count }
    if errno == EAGAIN || errno == EINTR { return 0 }
    throw Failure("a request could not be sent: \(String(cString: strerror(errno)))")
  }
}
