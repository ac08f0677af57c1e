import Foundation
import StratusWire

/// Measures the upload and the download of a file, and compares them with a plain copy of the file.
struct AssetJobs {
  private static let container = "iCloud.bench.asset"
  private static let zone = "files"

  let server: BenchServer
  let folder: String
  /// The size of the file in bytes.
  let size: Int

  /// Measures the copy, the upload and the download of one file.
  func measure(round: Int) throws -> [Row] {
    let path = folder + "/asset-\(round)"
    try PlainFile.write(size: size, seed: UInt64(round), to: path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let copy = try PlainFile.copy(path, to: path + "-copy")
    try FileManager.default.removeItem(atPath: path + "-copy")
    let requests = server.requests(Self.container)
    let exchange = try Exchange(port: server.process.port)
    _ = try exchange.send(requests.createZone(Self.zone))
    let name = "file-\(round)"
    let (asset, up) = try upload(path, record: name, requests, exchange)
    let fields = FieldsJSON([("file", .asset(asset))])
    let operation = RecordOperation(
      .create, recordName: name, recordType: "File",
      fields: try JSONView(parsing: fields.text))
    _ = try exchange.send(requests.saving([operation], zone: Self.zone))
    let down = try download(name, requests, exchange)
    let megabytes = Double(size) / 1e6
    var rows = [Row("a file copied, with fsync", rate: megabytes / copy, unit: "MB/s")]
    for (title, seconds) in [("an asset up", up), ("an asset down", down)] {
      var row = Row(title, rate: megabytes / seconds, unit: "MB/s")
      row.comparisons = [
        .init(name: "of the plain copy", value: copy / seconds, goal: .atLeast(0.5))
      ]
      rows.append(row)
    }
    return rows
  }

  private func upload(
    _ path: String, record: String, _ requests: Requests, _ exchange: Exchange
  ) throws -> (Asset, seconds: Double) {
    let field = AssetFieldID(recordName: record, recordType: "File", fieldName: "file")
    let answer = try exchange.send(requests.upload(field, zone: Self.zone))
    let targets = try UploadAssets.Response(jsonBytes: Array(answer)).targets
    guard let url = targets.first.flatMap({ URL(string: $0.url) }) else {
      throw Failure("the server returned no upload URL")
    }
    let start = Clock.nanoseconds()
    let body = try exchange.sendFile(path, size: size, to: url.path)
    let seconds = Double(Clock.nanoseconds() - start) / 1e9
    guard let asset = try UploadAnswer(jsonBytes: Array(body)).singleFile else {
      throw Failure("the server returned no receipt: " + String(decoding: body, as: UTF8.self))
    }
    return (asset, seconds)
  }

  private func download(
    _ name: String, _ requests: Requests, _ exchange: Exchange
  ) throws -> Double {
    let answer = try exchange.send(requests.lookup(name, zone: Self.zone))
    guard case .record(let record) = try RecordsResponse(jsonBytes: Array(answer)).records.first,
      case .asset(let asset) = try record.fields.values().first?.value,
      let url = asset.downloadURL.flatMap({ URL(string: $0) })
    else { throw Failure("the server returned no download URL") }
    let target = folder + "/downloaded"
    let start = Clock.nanoseconds()
    let received = try exchange.fetch(url.path, to: target)
    let seconds = Double(Clock.nanoseconds() - start) / 1e9
    try FileManager.default.removeItem(atPath: target)
    guard received == size else { throw Failure("only \(received) of \(size) bytes were received") }
    return seconds
  }
}
