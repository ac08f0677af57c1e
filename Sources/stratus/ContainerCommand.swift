import ArgumentParser
import StratusWire

/// `stratus container`.
struct ContainerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "container", abstract: "Create, configure, list and delete containers.",
    subcommands: [Create.self, Configure.self, List.self, Delete.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a container and print its ID.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The container's ID, e.g. iCloud.org.example.Notes.")
    var id: String

    func run() async throws {
      _ = try await server.send(CreateContainer.self, .init(containerID: id))
      say(id)
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a container with all its data, API tokens and sessions.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The container's ID.")
    var id: String

    @Flag(help: "Confirm the deletion. Afterwards, only a backup can restore the container.")
    var yes = false

    func run() async throws {
      guard yes else {
        throw Failure("this deletes all data of '\(id)'; confirm it with --yes")
      }
      _ = try await server.send(DeleteContainer.self, .init(containerID: id))
    }
  }

  struct Configure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change the settings of a container and print them.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The container's ID.")
    var id: String

    @Option(help: "The environment: development or production.")
    var environment: ContainerEnvironment

    @Option(
      help: """
        Whether queries may use the extensions of Stratus, such as anyOf, ENDS_WITH and counts: on \
        or off.
        """)
    var queryExtensions: Switch?

    @Option(help: "Whether the target of a deleteSelf reference must exist: required or optional.")
    var referenceTargets: Targets?

    @Option(
      help: """
        The URL with which the page of a share opens the app, e.g. trips://open?share=. The page \
        appends the URL of the share, percent-encoded. An empty text removes the setting.
        """)
    var shareAppURL: String?

    @Option(
      help: "The web page for people who cannot open the app. An empty text removes the setting.")
    var shareFallbackURL: String?

    @Option(
      help: """
        Whether the server mails an invitation to each address that a share invites: yes or no. \
        The server needs --smtp-host or --mail-folder.
        """)
    var invitationMails: Answer?

    @Option(
      help: """
        For how many days the earlier versions of records are kept, so that 'stratus versions \
        restore' can restore them: 1 to \(Limits.versionDaysMax), or 0 to keep none.
        """)
    var versionDays: Int64?

    @Flag(help: "Print JSON.")
    var json = false

    enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }
    enum Targets: String, ExpressibleByArgument, CaseIterable { case required, optional }
    enum Answer: String, ExpressibleByArgument, CaseIterable { case yes, no }

    func run() async throws {
      let response = try await server.send(
        ConfigureContainer.self,
        .init(
          containerID: id, environment: environment,
          allowsQueryExtensions: queryExtensions.map { $0 == .on },
          requiresReferenceTargets: referenceTargets.map { $0 == .required },
          shareAppURL: shareAppURL, shareFallbackURL: shareFallbackURL,
          mailsInvitations: invitationMails.map { $0 == .yes }, versionDays: versionDays))
      if json { return say(json: response) }
      say("query-extensions \(response.allowsQueryExtensions ? Switch.on : .off)")
      say("reference-targets \(response.requiresReferenceTargets ? Targets.required : .optional)")
      if let url = response.shareAppURL { say("share-app-url \(url)") }
      if let url = response.shareFallbackURL { say("share-fallback-url \(url)") }
      say("version-days \(response.versionDays ?? 0)")
      say("invitation-mails \(response.mailsInvitations ? Answer.yes : .no)")
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
