import ArgumentParser
import Foundation
import StratusWire

/// `stratus server-key`.
struct ServerKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "server-key",
    abstract: "Add, list and revoke the keys with which programs sign requests.",
    subcommands: [Add.self, List.self, Revoke.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Register a public key and print its key ID (64 hex digits).",
      discussion: """
        The private key stays with the program that signs requests. These commands create both keys:

          openssl ecparam -name prime256v1 -genkey -noout -out eckey.pem
          openssl ec -in eckey.pem -pubout -out public.pem
        """)

    @OptionGroup var server: ServerOptions

    @Option(help: "The container's ID.")
    var container: String

    @Option(help: "The environment: development or production.")
    var environment: ContainerEnvironment

    @Option(help: "A name for the key in lists.")
    var name: String?

    @Flag(help: "Print JSON, with the user record name of the key.")
    var json = false

    @Argument(help: "The PEM file of the public key, or - for standard input.")
    var file: String

    func run() async throws {
      let response = try await server.send(
        AddServerKey.self,
        .init(
          containerID: container, environment: environment, publicKey: try publicKey(),
          name: name))
      if json { return say(json: response) }
      say(response.id)
    }

    private func publicKey() throws -> String {
      let data =
        file == "-"
        ? FileHandle.standardInput.readDataToEndOfFile()
        : FileManager.default.contents(atPath: file)
      guard let data else { throw Failure("there is no file '\(file)'; give a public key's file") }
      guard let text = String(data: data, encoding: .utf8) else {
        throw Failure("'\(file)' is not a PEM file; give the file of a public key")
      }
      // NB: this check comes before the request, because a private key must not leave its owner.
      if text.contains("PRIVATE KEY-----") {
        throw Failure(
          "'\(file)' holds a private key, which the server must not have; give the public key: "
            + "openssl ec -in '\(file)' -pubout -out public.pem")
      }
      return text
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all keys, including revoked ones, with their user record names.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      let response = try await server.send(ListServerKeys.self, .init())
      if json { return say(json: response) }
      for key in response.keys {
        let state = key.revokedAt == nil ? "valid" : "revoked"
        let access = "\(key.containerID) \(key.environment) \(key.userRecordName)"
        say("\(key.id) \(access) \(state) \(key.name)")
      }
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke a key immediately. The records that it wrote are kept.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The key's ID, as 'stratus server-key list' shows it.")
    var id: String

    func run() async throws {
      _ = try await server.send(RevokeServerKey.self, .init(id: id))
    }
  }
}
