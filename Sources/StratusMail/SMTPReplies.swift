import NIOCore
import StratusDomain

/// One reply of a mail server (RFC 5321 §4.2).
struct SMTPReply: Sendable, Equatable {
  var code: Int
  /// The lines of the reply without their codes.
  var lines: [String]
}

/// Reads the replies of a mail server. Only the event loop of the connection uses it.
final class SMTPReplies: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// The maximum number of bytes of a line. RFC 5321 allows 512.
  private static let lineBytesMax = 4_096
  /// The maximum number of lines of a reply.
  private static let linesMax = 200
  /// The maximum number of replies for which no command waits.
  private static let repliesMax = 10

  private var buffer = ByteBuffer()
  private var lines: [String] = []
  private var replies: [SMTPReply] = []
  private var waiter: EventLoopPromise<SMTPReply>?
  private var failure: MailFailure?

  /// Whether the server has sent only replies for which a command has waited.
  var isQuiet: Bool { buffer.readableBytes == 0 && lines.isEmpty && replies.isEmpty }

  /// Returns the next reply.
  func next(on loop: any EventLoop, within time: TimeAmount) -> EventLoopFuture<SMTPReply> {
    if !replies.isEmpty { return loop.makeSucceededFuture(replies.removeFirst()) }
    if let failure { return loop.makeFailedFuture(failure) }
    let promise = loop.makePromise(of: SMTPReply.self)
    waiter = promise
    let alarm = loop.scheduleTask(in: time) {
      promise.fail(MailFailure("the mail server does not answer in time"))
    }
    promise.futureResult.whenComplete { _ in alarm.cancel() }
    return promise.futureResult
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var arrived = unwrapInboundIn(data)
    buffer.writeBuffer(&arrived)
    while failure == nil, let line = nextLine() { take(line) }
    if buffer.readableBytes > Self.lineBytesMax || lines.count > Self.linesMax
      || replies.count > Self.repliesMax
    {
      fail(MailFailure("the mail server's reply is too long"))
    }
    buffer.discardReadBytes()
    if failure != nil { context.close(promise: nil) }
  }

  private func nextLine() -> String? {
    guard let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else {
      return nil
    }
    let bytes = buffer.readBytes(length: end - buffer.readerIndex + 1) ?? []
    return String(decoding: bytes.filter { $0 >= 0x20 && $0 != 0x7F }, as: UTF8.self)
  }

  private func take(_ line: String) {
    let mark = line.dropFirst(3).first
    guard line.utf8.count >= 3, let code = Int(line.prefix(3)), (200...599).contains(code),
      mark == nil || mark == " " || mark == "-"
    else {
      return fail(MailFailure("the mail server's reply is not SMTP: '\(line.prefix(60))'"))
    }
    lines.append(String(line.dropFirst(4)))
    if mark == "-" { return }
    let reply = SMTPReply(code: code, lines: lines)
    lines = []
    if let waiter {
      self.waiter = nil
      waiter.succeed(reply)
    } else {
      replies.append(reply)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    fail(MailFailure("the connection to the mail server failed: \(error)"))
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    fail(MailFailure("the mail server closed the connection"))
    context.fireChannelInactive()
  }

  private func fail(_ failure: MailFailure) {
    if self.failure == nil { self.failure = failure }
    waiter?.fail(failure)
    waiter = nil
  }
}
