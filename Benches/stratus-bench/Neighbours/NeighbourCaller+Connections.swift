import Foundation
import StratusWire

extension NeighbourCaller {
  func prepareConnections(_ load: Neighbour) throws -> (Int) throws -> Turn {
    switch load {
    case .halfSent:
      let text = "POST /database/1/x HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n{\"rec"
      return { _ in manyConnections(500, first: Array(text.utf8)) }
    case .connections: return { _ in manyConnections(2_000, first: []) }
    case .streams: return openAndClose { requests.stream(device: "d\($0)") }
    case .polls:
      let exchange = try Exchange(port: port)
      let path = "/device/1/\(requests.container)/development/\(CreateToken.path)"
      let body = CreateToken.Request(apnsEnvironment: .development, clientID: "poller").jsonBytes
      let answer = try exchange.send(
        RequestTemplate(path: "\(path)?\(requests.query)&clientId=poller", body: body))
      let token = try CreateToken.Response(jsonBytes: Array(answer))
      guard let url = token.webcourierURL.flatMap({ URL(string: $0) }) else {
        throw Failure("the server returned no URL for polls")
      }
      let target = url.path + (url.query.map { "?" + $0 } ?? "")
      let poll = Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
      return openAndClose { _ in poll }
    default: return tokensAndTexts(load)
    }
  }

  private func tokensAndTexts(_ load: Neighbour) -> (Int) throws -> Turn {
    var requests = requests
    if load != .unparsable {
      let token = requests.query.prefix { $0 != "&" }
      requests = Requests(
        query: token + "&ckWebAuthToken=" + String(repeating: "7", count: 120),
        container: requests.container)
    }
    let large = 4 << 20
    let request =
      switch load {
      case .wrongTokens: requests.lookup("any", zone: Self.zone)
      case .wrongTokensLarge: text(String(repeating: " ", count: large - 10), requests)
      default: text("{\"records\":[" + String(repeating: "{},", count: large / 3 - 10), requests)
      }
    return { _ in
      let line = line()
      return { try line.send(request) }
    }
  }

  private func text(_ body: String, _ requests: Requests) -> RequestTemplate {
    RequestTemplate(
      path:
        "/database/1/\(requests.container)/development/private/records/lookup?\(requests.query)",
      body: Array(body.utf8))
  }

  /// Opens a stream or a poll, and closes the connection after a short time.
  private func openAndClose(_ request: @escaping (Int) -> [UInt8]) -> (Int) throws -> Turn {
    { lane in
      {
        let socket = try Socket.connect(port: port)
        defer { close(socket) }
        _ = try Socket.send(request(lane), from: 0, to: socket)
        usleep(1_000)
      }
    }
  }

  /// Holds a number of connections open, and replaces five of them every 10 ms.
  private func manyConnections(_ count: Int, first bytes: [UInt8]) -> Turn {
    var sockets: [Int32] = []
    var next = 0
    return {
      for _ in 0..<5 {
        let socket = try Socket.connect(port: port)
        if !bytes.isEmpty { _ = try? Socket.send(bytes, from: 0, to: socket) }
        if sockets.count < count {
          sockets.append(socket)
        } else {
          close(sockets[next])
          sockets[next] = socket
          next = (next + 1) % count
        }
      }
      if sockets.count == count { usleep(10_000) }
    }
  }
}
