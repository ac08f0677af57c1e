import ArgumentParser
import StratusWire

/// `stratus container`.
struct ContainerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "container", abstract: "Make and list containers.",
    subcommands: [Create.self, List.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make a container.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The container's ID, e.g. iCloud.org.example.Notes.")
    var id: String

    func run() async throws {
      _ = try await server.send(CreateContainer.self, .init(containerID: id))
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List containers.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      let response = try await server.send(ListContainers.self, .init())
      if json { return say(json: response) }
      for id in response.containerIDs { say(id) }
    }
  }
}
