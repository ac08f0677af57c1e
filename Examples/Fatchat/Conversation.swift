import CloudKit

/// The user's view of the chat: the current channel, and the messages received so far.
///
/// The program does not fetch messages at intervals. A notification is a hint to fetch, and several
/// hints at the same time cause one fetch. The user's own messages also appear only after a fetch.
actor Conversation {
  private let chat: Chat
  private let news: AsyncStream<News>.Continuation
  private let messageHints = Hints()
  private let peopleHints = Hints()

  private var channel: Channel?
  private var presence: Presence?
  /// The server's time at the last renewal of the user's presence.
  private var now = Date.distantPast
  private var known: Set<CKRecord.ID> = []
  /// The messages with files. The user sees their numbers, which begin with 1.
  private var files: [Message] = []
  /// The members of the channel, or nil if they are not known yet.
  private var people: [String]?
  private var missed: [Channel: Int] = [:]
  private var isConnected = true

  init(chat: Chat, news: AsyncStream<News>.Continuation) {
    self.chat = chat
    self.news = news
  }

  /// Enters the first channel. If it is the lobby and does not exist, this method creates it.
  func begin(in first: Channel, lobby: Channel) async throws {
    try await chat.requireAccount()
    if first == lobby, !(try await chat.exists(lobby)) {
      // Another user may create the lobby at the same time.
      do { try await chat.make(lobby) } catch is UsageError {}
    }
    try await join(first)
    try await chat.sweep(now: now)
  }

  /// Handles the notifications of the server until the task is cancelled.
  func run() async {
    await withTaskGroup(of: Void.self) { [chat, messageHints, peopleHints] group in
      group.addTask {
        for await notification in chat.container.remoteNotifications {
          await self.hear(notification)
        }
      }
      group.addTask { for await _ in messageHints.stream { await self.fetchMessages() } }
      group.addTask { for await _ in peopleHints.stream { await self.fetchPeople() } }
      group.addTask {
        while (try? await Task.sleep(for: .seconds(Presence.renewalSeconds))) != nil {
          await self.renew()
        }
      }
    }
  }

  /// Leaves the chat.
  func end() async {
    let last = presence
    (channel, presence) = (nil, nil)
    if let last { await chat.withdraw(last) }
    news.finish()
  }

  /// Handles a line that the user has entered.
  ///
  /// - Returns: whether the chat continues.
  func obey(_ line: String) async -> Bool {
    do {
      switch try Command(line) {
      case .say(let text): try await send(Message(text, by: chat.name, in: here()))
      case .attach(let file):
        try await send(Message(file: file, by: chat.name, in: here()))
      case .save(let number, let file): try await save(number, as: file)
      case .who:
        let names = try await chat.people(in: here(), now: now)
        tell("here: \(names.joined(separator: ", "))")
      case .channels:
        tell("channels: \(try await chat.channels().map(\.title).joined(separator: ", "))")
      case .create(let name):
        let channel = try Channel(name)
        try await chat.make(channel)
        try await join(channel)
      case .join(let name): try await join(try await find(name))
      case .rooms:
        tell("rooms: \(try await chat.rooms().map(\.title).joined(separator: ", "))")
      case .room(let name): try await join(try await chat.makeRoom(name))
      case .invite(let address):
        tell("send this: \(try await chat.invite(address, to: here()).absoluteString)")
      case .open(let url): try await join(try await chat.open(url))
      case .leave: try await leave()
      case .help: tell(Command.list)
      case .quit: return false
      }
    } catch {
      if !Task.isCancelled { tell(explain(error)) }
    }
    return true
  }

  private func tell(_ text: String) { news.yield(.notice(text)) }

  private func here() throws -> Channel {
    guard let channel else { throw UsageError("You are in no channel: '/join' one first.") }
    return channel
  }

  // The current channel.

  /// Returns the channel with a name. The name of a private room begins with `&`.
  private func find(_ name: String) async throws -> Channel {
    guard name.hasPrefix("&") else { return try Channel(name) }
    let rooms = try await chat.rooms().filter { $0.title == name.lowercased() }
    guard let room = rooms.first else { throw UsageError("There is no room \(name) for you.") }
    return room
  }

  private func join(_ next: Channel) async throws {
    if next == channel { throw UsageError("You are in \(next.title) already.") }
    guard try await chat.exists(next) else {
      throw UsageError(
        "There is no channel \(next.title): '/channels' lists all, '/create \(next.name)' makes it."
      )
    }
    let arrival = Presence(of: chat.name, in: next)
    now = try await chat.renew(arrival)
    try await chat.follow(next)
    let last = presence
    (channel, presence) = (next, arrival)
    (known, files, people, missed[next]) = ([], [], nil, nil)
    news.yield(.entered(next))
    messageHints.give()
    peopleHints.give()
    if let last { await chat.withdraw(last) }
  }

  private func leave() async throws {
    let last = try here()
    try await chat.unfollow(last)
    if let presence { await chat.withdraw(presence) }
    (channel, presence, people) = (nil, nil, nil)
    news.yield(.left(last))
  }

  // Notifications.

  private func hear(_ notification: CKNotification) {
    if notification.subscriptionID?.hasPrefix(Chat.roomsPrefix) == true {
      if channel?.room != nil {
        messageHints.give()
        peopleHints.give()
      }
      return
    }
    switch Topic(subscriptionID: notification.subscriptionID) {
    case .messages(let topic) where topic == channel: messageHints.give()
    case .people(let topic) where topic == channel: peopleHints.give()
    case .messages(let other):
      let count = (missed[other] ?? 0) + 1
      missed[other] = count
      let fields = (notification as? CKQueryNotification)?.recordFields
      let author = fields?["author"] as? String ?? "somebody"
      let text = fields?["text"] as? String ?? ""
      let preview = "\(author): \(text.isEmpty ? "a file" : text)".printable
      news.yield(.elsewhere(other, preview: preview, missedCount: count))
    case .people, nil: break
    }
  }

  private func fetchMessages() async {
    guard let channel else { return }
    await whileConnected {
      let messages = try await chat.messages(in: channel, beyond: known)
      // If the user has entered another channel during this fetch, the fetch of that channel
      // follows.
      guard channel == self.channel else { return }
      for message in messages where known.insert(message.id).inserted {
        if message.fileName != nil { files.append(message) }
        news.yield(
          .message(message, fileNumber: message.fileName == nil ? nil : files.count))
      }
    }
  }

  private func fetchPeople() async {
    guard let channel else { return }
    await whileConnected {
      let names = try await chat.people(in: channel, now: now)
      guard channel == self.channel, names != people else { return }
      let last = people ?? names
      let changes =
        names.filter { !last.contains($0) }.map { "\($0) is here" }
        + last.filter { !names.contains($0) }.map { "\($0) has gone" }
      people = names
      news.yield(.people(names, changes: changes))
    }
  }

  private func renew() async {
    guard let presence else { return }
    await whileConnected {
      now = try await chat.renew(presence)
      peopleHints.give()
    }
  }

  /// Runs a request that is not a command of the user. Of several consecutive errors, only the
  /// first is shown. The user also sees when the server answers again.
  private func whileConnected(_ body: () async throws -> Void) async {
    do {
      try await body()
      if isConnected { return }
      isConnected = true
      tell("The server is back.")
      messageHints.give()
    } catch {
      if Task.isCancelled { return }
      if isConnected { tell(explain(error)) }
      isConnected = false
    }
  }

  // Messages.

  private func send(_ message: Message) async throws {
    if let name = message.fileName { tell("sending \(name)") }
    do { try await chat.send(message) } catch {
      throw UsageError("That was not sent. \(explain(error))")
    }
    messageHints.give()
  }

  private func save(_ number: Int, as wish: URL?) async throws {
    guard files.indices.contains(number - 1), let name = files[number - 1].fileName else {
      throw UsageError("There is no file with the number \(number).")
    }
    let target = wish ?? URL(fileURLWithPath: name)
    if FileManager.default.fileExists(atPath: target.path) {
      throw UsageError(
        "There is a file \(target.path) already: '/save \(number) FILE' names another.")
    }
    let file = try await chat.file(of: files[number - 1])
    try FileManager.default.copyItem(at: file, to: target)
    tell("saved as \(target.path)")
  }
}

/// Hints that there is work to do. Several waiting hints count as one.
private struct Hints: Sendable {
  let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func give() { continuation.yield() }
}
