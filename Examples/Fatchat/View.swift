/// An event that the user sees.
enum News: Sendable {
  /// The user is in another channel now.
  case entered(Channel)
  /// The user is in no channel.
  case left(Channel)
  /// A message in this channel, perhaps the user's own. `/save` with the number saves its file.
  case message(Message, fileNumber: Int?)
  /// The members of the channel, with sentences about arrivals and departures. When the user enters
  /// the channel, there are no sentences.
  case people([String], changes: [String])
  /// A message in another channel, and the number of messages missed there.
  case elsewhere(Channel, preview: String, missedCount: Int)
  /// The result of a command, or an error.
  case notice(String)
}

/// The display of events and the source of entered lines.
protocol View: Sendable {
  /// The entered lines; ends when the user leaves.
  var lines: AsyncStream<String> { get }
  func show(_ news: News) async
  /// Restores the terminal.
  func close() async
}
