import Foundation

/// Notifies the program that started the server, such as systemd, that the server is ready.
enum ReadyNotification {
  /// Sends the notification by the protocol of `sd_notify(3)`. Does nothing if no service manager
  /// is waiting for it.
  static func send(
    variables: [String: String] = ProcessInfo.processInfo.environment
  ) {
    guard let path = variables["NOTIFY_SOCKET"], var address = address(of: path) else { return }
    let descriptor = socket(AF_UNIX, Self.datagram, 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let size = MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + path.utf8.count }
    let text = Array("READY=1".utf8)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        _ = sendto(descriptor, text, text.count, 0, pointer, socklen_t(size ?? 0))
      }
    }
  }

  /// Returns the address of a socket, or nil if the path cannot be that of a socket. A path that
  /// begins with `@` names an abstract socket, which has no file and whose first byte is 0.
  private static func address(of path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    guard bytes.first == UInt8(ascii: "/") || bytes.first == UInt8(ascii: "@"), bytes.count > 1,
      bytes.count < MemoryLayout.size(ofValue: address.sun_path)
    else { return nil }
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return address
  }

  #if canImport(Darwin)
    private static let datagram = SOCK_DGRAM
  #else
    private static let datagram = Int32(SOCK_DGRAM.rawValue)
  #endif
}
