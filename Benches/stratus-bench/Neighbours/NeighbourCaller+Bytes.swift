import Foundation
import StratusWire

extension NeighbourCaller {
  private static let fileBytes = 8 << 20
  private static let cutBytes = 1 << 20

  func prepareBytes(_ load: Neighbour) throws -> (Int) throws -> Turn {
    try makeZone()
    switch load {
    case .megabytes, .slowReaders:
      try fill(1, type: "Big") { _ in
        [("text", .string(String(repeating: "0123456789", count: 100_000)))]
      }
      let request = requests.request(
        LookupRecords.self,
        .init(
          zoneID: ZoneID(zoneName: Self.zone),
          recordNames: Array(repeating: "Big-0", count: 400)))
      if load == .slowReaders { return try slowReaders(request) }
      return { _ in
        let line = line()
        return { try line.send(request) }
      }
    case .pulls:
      try fill(20_000, type: SampleRecord.recordType) { number in
        [("title", .string("Water the plants on the balcony")), ("number", .int64(Int64(number)))]
      }
      let follower = Follower(port: port, requests: requests, zone: Self.zone)
      return { _ in { _ = try follower.pull() } }
    case .downloads: return try prepareDownloads()
    case .pipelined:
      try fill(64, type: SampleRecord.recordType) { _ in [("title", .string("a title"))] }
      let request = requests.lookup("\(SampleRecord.recordType)-1", zone: Self.zone)
      return { _ in { try pipeline(request) } }
    default:
      let bytes = [UInt8](repeating: 7, count: Self.fileBytes)
      return { lane in
        {
          let target = try uploadTarget("file-\(lane)")
          try upload(
            target, bytes, bytesCount: load == .cutUploads ? Self.cutBytes : bytes.count)
        }
      }
    }
  }

  /// Sends 64 requests in one write, and reads all answers.
  private func pipeline(_ request: RequestTemplate) throws {
    let socket = try Socket.connect(port: port)
    defer { close(socket) }
    let bytes = Array(repeating: request.bytes, count: 64).flatMap { $0 }
    var sent = 0
    while sent < bytes.count { sent += try Socket.send(bytes, from: sent, to: socket) }
    shutdown(socket, Int32(SHUT_WR))
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while recv(socket, &buffer, buffer.count, 0) > 0 {}
  }

  private func uploadTarget(_ record: String) throws -> String {
    let field = AssetFieldID(recordName: record, recordType: "File", fieldName: "file")
    let answer = try Exchange(port: port).send(requests.upload(field, zone: Self.zone))
    let target = try UploadAssets.Response(jsonBytes: Array(answer)).targets.first
    guard let path = target.flatMap({ URL(string: $0.url)?.path }) else {
      throw Failure("the server returned no upload URL")
    }
    return path
  }

  @discardableResult
  private func upload(
    _ target: String, _ bytes: [UInt8], bytesCount: Int
  ) throws -> [UInt8] {
    let exchange = try Exchange(port: port)
    let head = """
      POST \(target) HTTP/1.1\r
      Host: 127.0.0.1\r
      Content-Type: application/octet-stream\r
      Content-Length: \(bytes.count)\r
      \r\n
      """
    _ = try Socket.send(Array(head.utf8), from: 0, to: exchange.descriptor)
    let part = bytesCount == bytes.count ? bytes : Array(bytes.prefix(bytesCount))
    var sent = 0
    while sent < part.count { sent += try Socket.send(part, from: sent, to: exchange.descriptor) }
    return part.count < bytes.count ? [] : Array(try exchange.receive())
  }

  private func prepareDownloads() throws -> (Int) throws -> Turn {
    let bytes = [UInt8](repeating: 7, count: Self.fileBytes)
    let body = try upload(uploadTarget("file"), bytes, bytesCount: bytes.count)
    guard let asset = try UploadAnswer(jsonBytes: body).singleFile else {
      throw Failure("the server returned no receipt")
    }
    let save = try Self.operation(.create, "file", type: "File", [("file", .asset(asset))])
    let exchange = try Exchange(port: port)
    _ = try exchange.send(requests.saving([save], zone: Self.zone))
    let answer = try exchange.send(requests.lookup("file", zone: Self.zone))
    guard case .record(let record) = try RecordsResponse(jsonBytes: Array(answer)).records.first,
      case .asset(let stored) = try record.fields.values().first?.value,
      let path = stored.downloadURL.flatMap({ URL(string: $0)?.path })
    else { throw Failure("the server returned no download URL") }
    let request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
    return { _ in
      let line = try Exchange(port: port)
      return {
        _ = try Socket.send(request, from: 0, to: line.descriptor)
        _ = try line.receive()
      }
    }
  }

  /// Reads large answers slowly, a few bytes at a time.
  private func slowReaders(_ request: RequestTemplate) throws -> (Int) throws -> Turn {
    { _ in
      var sockets: [Int32] = []
      for _ in 0..<64 {
        let socket = try Socket.connect(port: port)
        _ = try Socket.send(request.bytes, from: 0, to: socket)
        Socket.stopWaiting(socket)
        sockets.append(socket)
      }
      var buffer = [UInt8](repeating: 0, count: 2_048)
      return {
        for place in sockets.indices {
          let count = recv(sockets[place], &buffer, buffer.count, 0)
          guard count == 0 || count < 0 && errno != EAGAIN else { continue }
          close(sockets[place])
          sockets[place] = try Socket.connect(port: port)
          _ = try Socket.send(request.bytes, from: 0, to: sockets[place])
          Socket.stopWaiting(sockets[place])
        }
        usleep(20_000)
      }
    }
  }
}
