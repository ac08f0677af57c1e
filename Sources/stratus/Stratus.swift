import ArgumentParser
import StratusServer

/// CloudKit on your own ground.
@main
struct Stratus: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stratus",
    abstract: "CloudKit on your own ground.",
    version: ServerVersion.current,
    subcommands: [
      DevCommand.self, ServeCommand.self, EnvCommand.self,
      ContainerCommand.self, APITokenCommand.self,
      AccountCommand.self, WebTokenCommand.self, SchemaCommand.self, ExplainCommand.self,
      KeysCommand.self, BackupCommand.self, RestoreCommand.self,
    ])
}
