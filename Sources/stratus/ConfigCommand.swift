import ArgumentParser
import StratusServer

/// `stratus config`.
struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check a configuration file.",
    subcommands: [Check.self])

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check a file for 'stratus serve --config', without starting a server.",
      discussion: """
        The command prints each fault with its line, and fails if there are faults. It also reads \
        the files with keys, certificates and passwords that the settings name.
        """)

    @Argument(help: "The configuration file.")
    var file: String

    func run() async throws {
      let config: ConfigFile
      do { config = try ConfigFile(path: file) } catch let fault as ConfigFile.Fault {
        throw Failure(fault.description)
      }
      let faults = config.faults
      for fault in faults.dropLast() { complain(fault.description) }
      if let last = faults.last { throw Failure(last.description) }
      do {
        try config.command(with: []).settings().checkFiles()
      } catch let failure as Failure {
        throw config.fault(of: failure).map { Failure($0.description) } ?? failure
      } catch {
        throw Failure("\(file): \(error)")
      }
      say("\(file) is valid: \(config.settings.count) settings")
    }
  }
}
