import ArgumentParser
import StratusWire

/// The options of the commands that retire, rename or drop a field or a record type.
struct RetireOptions: ParsableArguments {
  @OptionGroup var server: ServerOptions

  @Option(help: "The container's ID.")
  var container: String

  @Option(help: "The environment: development or production.")
  var environment: ContainerEnvironment = .production

  @Argument(help: "A record type, or a field as TYPE.FIELD.")
  var place: String

  func send(
    _ action: RetireSchema.Action, newName: String? = nil, isForced: Bool = false
  ) async throws {
    _ = try await server.send(
      RetireSchema.self,
      .init(
        containerID: container, environment: environment, place: place, action: action,
        newName: newName, isForced: isForced))
  }
}

/// `stratus schema retire`.
struct RetireCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retire",
    abstract: "Begin to remove a field or record type: note which devices still write it.",
    discussion: """
      This command begins the first of two phases. In this phase, apps read and write as before. \
      'stratus schema retiring' shows the devices that still write the field or record type. When \
      no device writes it any more, 'stratus schema drop' removes it.
      """)

  @OptionGroup var options: RetireOptions

  @Flag(help: "Refuse further writes, and note the devices that attempt them.")
  var refuse = false

  @Flag(help: "Cancel the removal, and keep the field or record type.")
  var cancel = false

  func validate() throws {
    if refuse, cancel {
      throw ValidationError("--refuse and --cancel exclude each other; give one of them")
    }
  }

  func run() async throws {
    try await options.send(cancel ? .cancel : refuse ? .refuse : .report)
  }
}

/// `stratus schema rename`.
struct RenameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: """
      Give a field a second name. Each save writes the value under both names, until the old name \
      is dropped.
      """,
    discussion: "The server copies the values of older records in the background.")

  @OptionGroup var options: RetireOptions

  @Option(name: .customLong("to"), help: "The new name.")
  var newName: String

  func run() async throws { try await options.send(.rename, newName: newName) }
}

/// `stratus schema drop`.
struct DropCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop",
    abstract: "Remove a retired field or record type with its values, in the background.")

  @OptionGroup var options: RetireOptions

  @Flag(help: "Confirm the removal of the values. Only a backup can restore them.")
  var yes = false

  @Flag(
    help: """
      Drop the field or record type even if a device wrote it, or its removal began, in the last \
      14 days.
      """)
  var force = false

  func run() async throws {
    guard yes else {
      throw Failure("this removes all values of '\(options.place)'; confirm it with --yes")
    }
    try await options.send(.drop, isForced: force)
  }
}

/// `stratus schema retiring`.
struct RetiringCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retiring",
    abstract: "List retiring fields and record types, and the devices that last wrote them.")

  @OptionGroup var server: ServerOptions

  @Option(help: "The container's ID.")
  var container: String

  @Option(help: "The environment: development or production.")
  var environment: ContainerEnvironment = .production

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let response = try await server.send(
      ListRetirements.self, .init(containerID: container, environment: environment))
    if json { return say(json: response) }
    for item in response.retirements {
      let name = item.newName.map { ", renamed to \($0)" } ?? ""
      let copy = item.newName == nil ? "" : item.isCopied ? " (copied)" : " (being copied)"
      let since = ToolTime.text(milliseconds: item.since)
      say("\(item.place) \(item.phase)\(name)\(copy), since \(since)")
      for writer in item.writers {
        say(
          "  written by device \(writer.deviceID) of \(writer.userRecordName), "
            + "\(writer.writes) times, last \(ToolTime.text(milliseconds: writer.lastWrite))")
      }
    }
  }
}
