#if Postgres
  /// Bounds how often equal messages are sent. A message is sent at once. Equal messages that
  /// arrive during its pause are sent once, at the end of the pause.
  struct SignalPace<Message: Hashable> {
    /// The messages whose pause has not ended. The value is whether an equal message has arrived
    /// since the last one was sent.
    private var pausing: [Message: Bool] = [:]

    /// Notes a message.
    ///
    /// - Returns: whether the caller must send the message now, and call ``endPause(of:)`` after
    ///   the pause.
    mutating func begin(_ message: Message) -> Bool {
      guard pausing[message] == nil else {
        pausing[message] = true
        return false
      }
      pausing[message] = false
      return true
    }

    /// Ends the pause of a message.
    ///
    /// - Returns: whether the caller must send the message again, and call this function after
    ///   another pause.
    mutating func endPause(of message: Message) -> Bool {
      guard pausing[message] == true else {
        pausing[message] = nil
        return false
      }
      pausing[message] = false
      return true
    }
  }
#endif
