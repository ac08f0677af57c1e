import Foundation

/// A `stratus` process to be measured.
final class BenchServer {
  let process: ServerProcess
  private let dataFolder: String
  private let query: String

  /// - Parameters:
  ///   - program: the path of the `stratus` binary.
  ///   - folder: for its data and its log.
  init(program: String, folder: String) throws {
    dataFolder = folder + "/data"
    process = try ServerProcess(
      program: program, arguments: ["dev", "--data", dataFolder, "--port", "0"],
      log: folder + "/server.log")
    guard let apiToken = process.settings["STRATUS_API_TOKEN"],
      let webToken = process.settings["STRATUS_WEB_AUTH_TOKEN"],
      let escaped = webToken.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
    else { throw Failure("the server named no tokens") }
    query = "ckAPIToken=\(apiToken)&ckWebAuthToken=\(escaped)"
  }

  func requests(_ container: String) -> Requests {
    Requests(query: query, container: container)
  }

  /// The file of a container's store.
  func storePath(_ container: String) throws(Failure) -> String {
    let folder = dataFolder + "/" + container
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    guard let name = names.first(where: { $0.hasPrefix("development") && $0.hasSuffix(".sqlite") })
    else { throw Failure("no store lies in \(folder)") }
    return folder + "/" + name
  }

  /// Makes a zone whose records have two indexes in use: of tasks of a list by their dates, and of
  /// tasks by priority. Every index an app asks for is kept from then on.
  func fillIndexed(_ zone: String, container: String, records: Int) throws {
    try fill(zone, container: container, records: 1)
    let exchange = try Exchange(port: process.port)
    for query in SampleRecord.queries {
      _ = try exchange.send(requests(container).query(query, zone: zone, limit: 1))
    }
    if records > 0 { try fill(zone, container: container, records: records, firstName: 1 << 40) }
  }

  /// Makes a zone with records of the numbers from 0 on.
  func fill(
    _ zone: String, container: String, records: Int, firstName: UInt64 = 0
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
        return next
      })
    _ = try generator.run(try requests.saving(perRequest, zone: zone))
  }
}
