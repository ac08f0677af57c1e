/// An event that the user sees.
enum News: Sendable {
  /// The user has entered another channel.
  case entered(Channel)
  /// The user has left the channel, and is in no channel now.
  case left(Channel)
  /// A message in the current channel, possibly by the user. `/save` needs the number of the file.
  case message(Message, fileNumber: Int?)
  /// The members of the current channel, with sentences about arrivals and departures. There are no
  /// sentences when the user enters the channel.
  case people([String], changes: [String])
  /// A message in another channel, and the number of messages missed in that channel.
  case elsewhere(Channel, preview: String, missedCount: Int)
  /// The result of a command, or an error.
  case notice(String)
}

/// Displays events, and reads the lines that the user enters.
protocol View: Sendable {
  /// The entered lines. The stream ends when the user leaves.
  var lines: AsyncStream<String> { get }
  func show(_ news: News) async
  /// Restores the terminal.
  func close() async
}
