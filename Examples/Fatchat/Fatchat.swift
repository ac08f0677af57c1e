import CloudKit

/// A chat with channels, as a terminal program.
@main
struct Fatchat {
  static let usage = """
    usage: Fatchat NAME [CHANNEL]
      NAME is your name in the chat. CHANNEL is the first channel to enter. Default: lobby.
    """

  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      FileHandle.standardError.write(Data((explain(error) + "\n").utf8))
      exit(1)
    }
  }

  static func run(_ arguments: [String]) async throws {
    guard (1...2).contains(arguments.count), !arguments[0].hasPrefix("-") else {
      throw UsageError(usage)
    }
    let lobby = try Channel("lobby")
    let first = arguments.count > 1 ? try Channel(arguments[1]) : lobby
    let (news, teller) = AsyncStream.makeStream(of: News.self)
    let conversation = Conversation(
      chat: Chat(name: try Presence.name(arguments[0])), news: teller)
    try await conversation.begin(in: first, lobby: lobby)

    // A signal, a key, a command, or the end of the input ends the chat.
    let (endings, ending) = AsyncStream.makeStream(of: Void.self)
    await ending.follow(SIGINT, SIGTERM, SIGHUP)
    let view: any View
    if let terminal = Terminal() {
      view = await Screen(terminal, ending: ending)
    } else {
      view = LineView()
    }
    let showing = Task { for await item in news { await view.show(item) } }
    Task { await conversation.run() }
    Task {
      for await line in view.lines { guard await conversation.obey(line) else { break } }
      ending.yield()
    }
    for await _ in endings { break }
    // Work in progress is abandoned when the program ends.
    await conversation.end()
    await showing.value
    await view.close()
  }
}
