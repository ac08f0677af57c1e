public import ArgumentParser
import Foundation
import StratusTransport
public import StratusWire

/// The options with which a management command finds its server.
struct ServerOptions: ParsableArguments {
  @OptionGroup var data: DataOption

  @Option(
    help: """
      The server's management address, which replaces --data and needs STRATUS_MANAGEMENT_TOKEN. \
      See --management-port of 'stratus serve'.
      """)
  var url: String?

  /// Sends one request.
  ///
  /// - Throws: ``Failure``.
  func send<E: Endpoint>(_ endpoint: E.Type, _ request: E.Request) async throws -> E.Response {
    try await location().send(endpoint, request)
  }

  private func location() throws -> ManagementFile {
    guard let url else { return try ManagementFile.read(in: data) }
    guard let token = ProcessInfo.processInfo.environment["STRATUS_MANAGEMENT_TOKEN"] else {
      throw Failure("set STRATUS_MANAGEMENT_TOKEN to the server's management token")
    }
    try requirePrivateManagement(url)
    return ManagementFile(url: url, token: token)
  }
}

/// - Throws: ``Failure`` for a URL with which the management token would cross a network in clear
///   text.
func requirePrivateManagement(_ url: String) throws {
  if url.lowercased().hasPrefix("http+unix://") || isPrivateURL(url) { return }
  throw Failure(
    "--url must begin with https:// or name this machine, because the management token would "
      + "cross the network in clear text; reach the server by 'ssh -L', for example")
}

/// Whether a URL uses HTTPS or names this machine. Other machines cannot read the data that is sent
/// to such a URL.
func isPrivateURL(_ url: String) -> Bool {
  let host = URL(string: url)?.host?.lowercased() ?? ""
  return url.lowercased().hasPrefix("https://") || host == "localhost"
    || host.hasSuffix(".localhost") || host == "::1"
    || host.wholeMatch(of: /127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}/) != nil
}

extension ManagementFile {
  /// Sends one request to the server.
  ///
  /// - Throws: ``Failure``.
  func send<E: Endpoint>(_ endpoint: E.Type, _ request: E.Request) async throws -> E.Response {
    guard let address = URL(string: "\(url)/management/1/\(E.path)") else {
      throw Failure("'\(url)' is not a URL")
    }
    let exchange = NetworkExchange()
    let answer: HTTPResponse
    do {
      answer = try await exchange.send(
        HTTPRequest(
          // NB: a socket has no host name, but every HTTP request must have the field `Host` (RFC
          // 9112 §3.2).
          url: address,
          headers: ["Authorization": "Bearer \(token)", "Host": "localhost"],
          body: request.jsonBytes, timeoutSeconds: 30))
    } catch {
      throw Failure("no server answers at \(url); start it with 'stratus serve'")
    }
    guard answer.status == 200 else {
      let error = try? ErrorDictionary(jsonBytes: answer.body)
      if error?.code == .authenticationFailed {
        throw Failure("the server refused the management token")
      }
      throw Failure(error?.reason ?? "the server answered with status \(answer.status)")
    }
    do { return try E.Response(jsonBytes: answer.body) } catch {
      throw Failure("the server's answer cannot be read: \(error)")
    }
  }
}

extension ManagementFile {
  /// Reads the management file of the server that uses a data folder.
  ///
  /// - Throws: ``Failure``.
  static func read(in data: DataOption) throws -> ManagementFile {
    let location = data.url.appendingPathComponent(name)
    if let owner = stranger(whoWrites: location) {
      throw Failure(
        "\(owner) can write the file '\(location.path)', which says where the server is; use a "
          + "data folder of your own, or run 'chmod -R go= \(data.folder)'")
    }
    guard let bytes = try? Data(contentsOf: location),
      let file = try? ManagementFile(jsonBytes: Array(bytes))
    else {
      throw Failure(
        "no server runs on the data folder '\(data.folder)'; start it with 'stratus serve --data "
          + "\(data.folder)', or name another with --data or --url")
    }
    return file
  }

  /// Names the users that can write a file, other than this user and root. nil if there are no such
  /// users, or if there is no file.
  private static func stranger(whoWrites file: URL) -> String? {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path),
      let owner = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value,
      let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue
    else { return nil }
    // Root may manage the servers of other users, so root accepts a file of any owner.
    if geteuid() != 0, owner != geteuid(), owner != 0 { return "user \(owner)" }
    return mode & 0o022 == 0 ? nil : "every user"
  }
}

extension ContainerEnvironment: ExpressibleByArgument {}
