import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import StratusWire

/// Prepares the connections that Hummingbird accepts: adds the HTTP decoder and a
/// ``ConnectionGate``.
///
/// An idle connection and a waiting listener have no request and no async channel, so they need few
/// resources.
struct ConnectionChannel: ServerChildChannel {
  struct Value: ServerChildChannelValue {
    let channel: any Channel
    let gate: ConnectionGate
  }

  let router: Router
  let settings: ConnectionSettings
  let census: ConnectionCensus
  /// The server's certificate, or nil if connections are not encrypted.
  private let tls: TLSIdentity?
  private let connections = OpenConnections<Value>()
  private let groups = EventLoopDeliveries()
  private let dates = DateText()

  init(router: Router, settings: ConnectionSettings, tls: TLSIdentity? = nil) {
    self.tls = tls
    self.router = router
    self.settings = settings
    census = ConnectionCensus(settings)
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      // All connections of a proxy have the same address, so the limit per address does not apply.
      let origin =
        isProxy(channel.remoteAddress)
        ? nil : ConnectionCensus.Origin(channel.remoteAddress)
      let isWelcome = census.open(origin)
      channel.closeFuture.whenComplete { [census] _ in census.close(origin) }
      var limits = NIOHTTPDecoderLimitConfiguration()
      limits.maxHeaderListSize = Self.headerListBytesMax
      let decoder = ByteToMessageHandler(
        HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits))
      let gate = ConnectionGate(
        router: router, settings: settings, group: groups.group(of: channel.eventLoop),
        dates: dates,
        plumbing: [decoder], isUnwelcome: !isWelcome,
        clientAddress: channel.remoteAddress?.ipAddress)
      if tls != nil, !isWelcome {
        // NB: with TLS, the gate would refuse the connection only after the handshake, so a silent
        // client could keep the connection open until the handshake's deadline.
        try channel.pipeline.syncOperations.addHandler(RefusedConnection())
        return Value(channel: channel, gate: gate)
      }
      if let tls {
        let encryption = NIOSSLServerHandler(context: tls.context)
        try channel.pipeline.syncOperations.addHandlers(
          encryption,
          HandshakeDeadline(timeout: TimeAmount(settings.headTimeout), encryption: encryption))
      }
      try channel.pipeline.syncOperations.addHandlers(decoder, gate)
      return Value(channel: channel, gate: gate)
    }
  }

  private func isProxy(_ address: SocketAddress?) -> Bool {
    guard !settings.trustedProxies.isEmpty,
      let address = address?.ipAddress.flatMap({ NetworkAddress($0) })
    else { return false }
    return settings.trustedProxies.contains { $0.contains(address) }
  }

  func handle(value: Value, logger: Logger) async {
    let number = connections.add(value)
    value.channel.closeFuture.whenComplete { [connections] _ in connections.remove(number) }
    await connections.waitForAll { open in
      open.channel.eventLoop.execute { open.gate.endSoon() }
    }
  }

  /// Closes its connection as soon as the connection is open.
  private final class RefusedConnection: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    func handlerAdded(context: ChannelHandlerContext) {
      if context.channel.isActive { context.close(promise: nil) }
    }

    func channelActive(context: ChannelHandlerContext) { context.close(promise: nil) }
  }

  /// The maximum size of all header fields, in bytes. Hummingbird has the same limit.
  private static let headerListBytesMax = 81_920
}
