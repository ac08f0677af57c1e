/// An event that the user sees.
enum News: Sendable {
  /// The user has entered another channel.
  case entered(Channel)
  /// The user is in no channel.
  case left(Channel)
  /// A message in the current channel, which may be the user's own. The number is for `/save`.
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
