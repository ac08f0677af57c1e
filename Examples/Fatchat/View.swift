/// What is to be seen of the chat.
enum News: Sendable {
  /// We are somewhere else.
  case entered(Channel)
  /// We are nowhere.
  case left(Channel)
  /// Somebody said something here, perhaps ourselves. Its file can be asked for by the number.
  case message(Message, fileNumber: Int?)
  /// Who is here, and sentences about who came and went; none where we have just come ourselves.
  case people([String], changes: [String])
  /// Somebody said something in another channel; and how much was missed there.
  case elsewhere(Channel, preview: String, missedCount: Int)
  /// The answer to a command, or an error.
  case notice(String)
}

/// Where a person sees what happens, and enters lines.
protocol View: Sendable {
  /// What was entered; ends when the person does.
  var lines: AsyncStream<String> { get }
  func show(_ news: News) async
  /// Leaves everything as it was found.
  func close() async
}
