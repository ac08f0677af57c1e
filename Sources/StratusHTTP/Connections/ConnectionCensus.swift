import NIOCore
import StratusWire
import Synchronization

/// Counts the open connections, both in total and for each client address.
final class ConnectionCensus: Sendable {
  /// The part of an address by which connections are counted.
  struct Origin: Hashable {
    let bits: UInt64

    /// Returns nil if the address is not an IP address but, for example, that of a Unix socket.
    init?(_ address: SocketAddress?) {
      guard let address else { return nil }
      switch address.protocol {
      case .inet: bits = UInt64(Self.load(UInt32.self, at: 4, of: address))
      case .inet6:
        let high = Self.load(UInt64.self, at: 8, of: address)
        let low = Self.load(UInt64.self, at: 16, of: address)
        // An IPv4 address that is mapped to IPv6 is counted by its last 32 bits. Other IPv6
        // addresses are counted by their first 64 bits.
        let isMapped = high == 0 && UInt64(bigEndian: low) >> 32 == 0xFFFF
        bits = isMapped ? UInt64(Self.load(UInt32.self, at: 20, of: address)) : high
      default: return nil
      }
    }

    /// Reads the bytes of a `sockaddr_in` or `sockaddr_in6`, in network byte order.
    private static func load<Bits: BitwiseCopyable>(
      _ type: Bits.Type, at offset: Int, of address: SocketAddress
    ) -> Bits {
      address.withSockAddr { socket, _ in
        UnsafeRawPointer(socket).loadUnaligned(fromByteOffset: offset, as: type)
      }
    }
  }

  private struct State {
    var all = 0
    var byOrigin: [Origin: Int] = [:]
  }

  private let originMax: Int?
  private let allMax: Int?
  private let state = Mutex(State())

  init(_ settings: ConnectionSettings) {
    originMax = settings.connectionsPerAddressMax
    allMax = settings.connectionsMax
  }

  /// Counts a connection that has opened.
  ///
  /// - Returns: whether the connection may be served. The connection is counted in both cases.
  func open(_ origin: Origin?) -> Bool {
    state.withLock { state in
      state.all += 1
      var isWelcome = allMax.map { state.all <= $0 } ?? true
      if let origin {
        let count = state.byOrigin[origin, default: 0] + 1
        state.byOrigin[origin] = count
        if let originMax, count > originMax { isWelcome = false }
      }
      return isWelcome
    }
  }

  /// Removes a closed connection from the count.
  func close(_ origin: Origin?) {
    state.withLock { state in
      state.all -= 1
      guard let origin, let count = state.byOrigin[origin] else { return }
      state.byOrigin[origin] = count > 1 ? count - 1 : nil
    }
  }
}
