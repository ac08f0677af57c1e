import NIOCore
import NIOTLS

/// Closes a connection whose TLS handshake is not complete in time. Later handlers are notified of
/// the connection when the handshake is complete.
///
/// NB: the deadline counts from the beginning of the connection, so that a client cannot extend it
/// with single bytes.
final class HandshakeDeadline: ChannelInboundHandler {
  typealias InboundIn = NIOAny
  typealias InboundOut = NIOAny

  private let timeout: TimeAmount
  /// The encrypting handler, which precedes this handler in the pipeline.
  private let encryption: any ChannelHandler
  private var alarm: Scheduled<Void>?
  private var isComplete = false

  init(timeout: TimeAmount, encryption: any ChannelHandler) {
    self.timeout = timeout
    self.encryption = encryption
  }

  func channelActive(context: ChannelHandlerContext) {
    if isComplete { return context.fireChannelActive() }
    alarm = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) { [encryption] in
      // NB: the close must bypass the encrypting handler, which would wait for the `close_notify`
      // of the client.
      let inner = try? context.pipeline.syncOperations.context(handler: encryption)
      (inner ?? context).close(promise: nil)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if isComplete { context.fireChannelReadComplete() }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if !isComplete, let event = event as? TLSUserEvent, case .handshakeCompleted = event {
      isComplete = true
      alarm?.cancel()
      alarm = nil
      context.fireChannelActive()
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    alarm?.cancel()
    alarm = nil
    context.fireChannelInactive()
  }
}
