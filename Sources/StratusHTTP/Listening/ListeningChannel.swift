import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import StratusDomain

/// A connection that serves streams and long polls by itself, and all else by Hummingbird.
///
/// A waiter must cost next to nothing: no task, no request, no async channel. So those are made
/// only when a request comes that does not listen.
struct ListeningChannel: ServerChildChannel {
  struct Value: ServerChildChannelValue {
    let channel: any Channel
    /// What Hummingbird is to serve; nil: nothing came for it.
    let ordinary: EventLoopFuture<ConnectionGate.Ordinary?>
  }

  let router: Router
  let lanes = LoopLanes()
  let hummingbird: HTTP1Channel

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      var limits = NIOHTTPDecoderLimitConfiguration()
      limits.maxHeaderListSize = Self.headerListBytesMax
      // NB: the very handlers of Hummingbird's own HTTP1Channel, which keeps them to itself; a
      // stream takes them out.
      let plumbing: [any RemovableChannelHandler] = [
        HTTPResponseEncoder(),
        ByteToMessageHandler(
          HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)),
        HTTP1ToHTTPServerCodec(secure: false),
      ]
      let gate = ConnectionGate(
        router: router, lane: lanes.lane(of: channel.eventLoop), plumbing: plumbing,
        ordinary: channel.eventLoop.makePromise(), logger: logger)
      let value = Value(channel: channel, ordinary: gate.ordinary.futureResult)
      try channel.pipeline.syncOperations.addHandlers(plumbing + [gate])
      return value
    }
  }

  func handle(value: Value, logger: Logger) async {
    let ordinary = await withTaskCancellationHandler {
      try? await value.ordinary.get()
    } onCancel: {
      value.channel.close(promise: nil)
    }
    guard let ordinary else { return }
    await hummingbird.handle(value: ordinary, logger: logger)
  }

  /// As Hummingbird's.
  private static let headerListBytesMax = 81_920
}
