import Foundation
import StratusWire

/// A `stratus` process that is measured.
final class BenchServer {
  let process: ServerProcess
  private let dataFolder: String
  private let query: String
  private(set) var apiToken: String
  /// The web auth token of the developer's account, or an empty text if there is no such account.
  let webAuthToken: String

  /// Starts a development server. It does not limit the rate of its callers.
  ///
  /// - Parameters:
  ///   - program: the path of the `stratus` binary.
  ///   - folder: the folder for the server's data and log.
  init(program: String, folder: String) throws {
    dataFolder = folder + "/data"
    process = try ServerProcess(
      program: program,
      arguments: ["dev", "--data", dataFolder, "--port", "0", "--management-port", "0"],
      log: folder + "/server.log")
    guard let apiToken = process.settings["STRATUS_API_TOKEN"],
      let webAuthToken = process.settings["STRATUS_WEB_AUTH_TOKEN"]
    else { throw Failure("the server printed no tokens") }
    self.apiToken = apiToken
    self.webAuthToken = webAuthToken
    query = Self.query(apiToken, webAuthToken)
  }

  /// Starts a server that limits its callers, as an operator's server does, and creates a container
  /// on this server.
  ///
  /// - Parameter options: further options of `stratus serve`.
  init(program: String, folder: String, serving container: String, options: [String]) throws {
    dataFolder = folder + "/data"
    process = try ServerProcess(
      program: program,
      arguments: ["serve", "--data", dataFolder, "--port", "0", "--management-port", "0"] + options,
      log: folder + "/server.log")
    (apiToken, webAuthToken, query) = ("", "", "")
    let management = try Management(dataFolder: dataFolder)
    _ = try management.send(CreateContainer.self, .init(containerID: container))
    apiToken = try management.send(
      CreateAPIToken.self, .init(containerID: container, environment: .development)
    ).token
  }

  /// Returns the tokens as the query of a URL.
  private static func query(_ apiToken: String, _ webAuthToken: String) -> String {
    let escaped = webAuthToken.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
    return "ckAPIToken=\(apiToken)&ckWebAuthToken=\(escaped ?? "")"
  }

  /// Creates an account.
  ///
  /// - Returns: the value that creates the account's requests.
  func account(_ email: String, container: String) throws -> Requests {
    let management = try Management(dataFolder: dataFolder)
    _ = try management.send(CreateAccount.self, .init(email: email))
    let token = try management.send(
      CreateWebToken.self,
      .init(email: email, containerID: container, environment: .development)
    ).token
    return Requests(query: Self.query(apiToken, token), container: container)
  }

  func requests(_ container: String) -> Requests {
    Requests(query: query, container: container)
  }

  /// Returns the path of a container's store file.
  func storePath(_ container: String) throws(Failure) -> String {
    let folder = dataFolder + "/" + container
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    guard let name = names.first(where: { $0.hasPrefix("development") && $0.hasSuffix(".sqlite") })
    else { throw Failure("there is no store in \(folder)") }
    return folder + "/" + name
  }

  /// Creates a zone whose records are in two indexes: the tasks of a list by date, and the tasks by
  /// priority. The server creates these indexes because this method sends queries that need them.
  func fillIndexed(_ zone: String, container: String, records: Int) throws {
    try fill(zone, container: container, records: 1)
    let exchange = try Exchange(port: process.port)
    for query in SampleRecord.queries {
      _ = try exchange.send(requests(container).query(query, zone: zone, limit: 1))
    }
    if records > 0 { try fill(zone, container: container, records: records, firstName: 1 << 40) }
  }

  /// Creates a zone, and saves records in it. The numbers of their names begin with `firstName`.
  /// More than 400 records are saved in whole requests of 400, so their number is rounded down.
  ///
  /// - Parameter onRecord: is called for each record, before the record is saved.
  func fill(
    _ zone: String, container: String, records: Int, firstName: UInt64 = 0,
    onRecord: @escaping () -> Void = {}
  ) throws {
    let requests = requests(container)
    _ = try Exchange(port: process.port).send(requests.createZone(zone))
    guard records > 0 else { return }
    let perRequest = min(400, records)
    var next = firstName
    let generator = LoadGenerator(
      server: process, connections: 4, bound: .requests(records / perRequest),
      nextName: {
        defer { next += 1 }
        onRecord()
        return next
      })
    _ = try generator.run(try requests.saving(perRequest, zone: zone))
  }
}

/// Sends an operator's commands to a server.
private struct Management {
  private let file: ManagementFile
  private let exchange: Exchange

  init(dataFolder: String) throws {
    file = try ManagementFile(
      jsonBytes: Array((TextFile.read(dataFolder + "/" + ManagementFile.name) ?? "").utf8))
    guard let port = file.url.split(separator: ":").last.flatMap({ Int($0) }) else {
      throw Failure("the management address has no port: \(file.url)")
    }
    exchange = try Exchange(port: port)
  }

  func send<Kind: Endpoint>(_ kind: Kind.Type, _ request: Kind.Request) throws -> Kind.Response {
    let answer = try exchange.send(
      RequestTemplate(
        path: "/management/1/\(kind.path)", body: request.jsonBytes, bearer: file.token))
    return try Kind.Response(jsonBytes: Array(answer))
  }
}
