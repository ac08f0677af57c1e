import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import StratusWire

/// Prepares the connections that Hummingbird accepts: adds the HTTP decoder and a gate.
///
/// An idle connection and a waiting listener need few resources: they have no request and no async
/// channel.
struct ConnectionChannel: ServerChildChannel {
  struct Value: ServerChildChannelValue {
    let channel: any Channel
    let gate: ConnectionGate
  }

  let router: Router
  let settings: ConnectionSettings
  let census: ConnectionCensus
  private let groups = EventLoopDeliveries()
  private let dates = DateText()

  init(router: Router, settings: ConnectionSettings) {
    self.router = router
    self.settings = settings
    census = ConnectionCensus(settings)
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let origin = ConnectionCensus.Origin(channel.remoteAddress)
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
      try channel.pipeline.syncOperations.addHandlers(decoder, gate)
      return Value(channel: channel, gate: gate)
    }
  }

  func handle(value: Value, logger: Logger) async {
    await withTaskCancellationHandler {
      try? await value.channel.closeFuture.get()
    } onCancel: {
      value.channel.eventLoop.execute { value.gate.endSoon() }
    }
  }

  /// The same limit as Hummingbird's.
  private static let headerListBytesMax = 81_920
}
