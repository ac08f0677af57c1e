import ArgumentParser
import StratusWire

/// The command line of Stratus, a self-hosted CloudKit.
@main
struct Stratus: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stratus",
    abstract: "A self-hosted CloudKit.",
    version: ServerVersion.current,
    subcommands: [
      DevCommand.self, ServeCommand.self, EnvCommand.self, ConfigCommand.self,
      StatusCommand.self, TailCommand.self, DoctorCommand.self,
      ContainerCommand.self, APITokenCommand.self,
      ServerKeyCommand.self, AccountCommand.self, RoleCommand.self, QuotaCommand.self,
      TeamCommand.self, AuditCommand.self,
      WebTokenCommand.self, LoginCommand.self, LogoutCommand.self, WhoAmICommand.self,
      SchemaCommand.self, ExplainCommand.self,
      KeysCommand.self, ShareCommand.self, BackupCommand.self, RestoreCommand.self,
      VersionsCommand.self, CompactCommand.self, CopyCommand.self, AssetsCommand.self,
      KeyFileCommand.self, NodesCommand.self,
      CloudKitToolCommand.self,
    ])

  /// Runs the command line. In a binary with the name `cktool`, the commands are the verbs of
  /// `stratus cktool`.
  static func main() async {
    let arguments = CommandLine.arguments
    if arguments.first?.split(separator: "/").last == "cktool" {
      await CloudKitToolCommand.main(Array(arguments.dropFirst()))
    } else {
      await main(nil)
    }
  }
}
