import Foundation
import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusTesting
import StratusWire
import Testing

/// The store of ``Client``'s container.
let notes = StoreAddress(container: "iCloud.org.example.Notes", environment: .development)

extension Client {
  /// The path of an endpoint for devices.
  func deviceTarget(
    _ endpoint: String, clientID: String? = nil, root: String = "device", scope: String = ""
  ) -> String {
    var client = self
    if let clientID { client.extraQuery = "clientId=\(clientID)" }
    let query = client.target(endpoint).split(separator: "?").dropFirst().first ?? ""
    return "/\(root)/1/\(container)/\(environment)\(scope)/\(endpoint)?\(query)"
  }

  /// Sends a request as a device.
  func ask(_ endpoint: String, as clientID: String? = nil, _ body: JSON = [:]) async throws
    -> Answer
  {
    try await send(.post, deviceTarget(endpoint, clientID: clientID), body: body.bytes)
  }

  /// The user's record name in the container.
  func userName() async throws -> String {
    var client = self
    client.database = "public"
    return try #require(try await client.post("users/caller")["userRecordName"].string)
  }

  /// Opens a notification stream or a long poll, without a socket.
  func open(
    _ target: String, lastEventID: Int64? = nil
  ) async throws -> (head: HTTPResponse, body: AsyncStream<[UInt8]>) {
    var head = HTTPRequest(
      method: .get, scheme: "http", authority: "stratus.test", path: target)
    if let lastEventID {
      head.headerFields[try #require(HTTPField.Name("Last-Event-ID"))] = String(lastEventID)
    }
    #expect(router.isListening(head))
    return await router.open(head)
  }
}

extension TestServer {
  /// Queues a notification with the given ID.
  func queue(
    _ id: String, for user: String, from device: String? = nil, badges: Bool = false
  ) async throws {
    try await queue([id], for: user, from: device, badges: badges)
  }

  /// Adds several notifications to a user's queue in one call.
  func queue(
    _ ids: [String], for user: String, from device: String? = nil, badges: Bool = false
  ) async throws {
    let notifications = ids.map { id in
      NewNotification(
        user: user,
        payload: NotificationPayload(
          containerIdentifier: notes.container, notificationID: id, userRecordName: user,
          event: .database(subscriptionID: "s", .private)),
        shouldBadge: badges, originDeviceID: device, createdAt: 1)
    }
    try await queue(notifications, at: notes)
    await handOutNotifications()
  }
}

extension JSON {
  /// The path of a URL. The server's URLs in these tests have no query.
  var target: String {
    get throws {
      let text = try #require(string)
      return try #require(URL(string: text)).path
    }
  }
}

/// Reads events from the body of a notification stream.
struct Events {
  var iterator: AsyncStream<[UInt8]>.Iterator

  init(_ body: AsyncStream<[UInt8]>) { iterator = body.makeAsyncIterator() }

  /// Returns the number of the next event and the ID of its notification.
  mutating func next() async throws -> (number: Int64, id: String)? {
    guard let bytes = await iterator.next(isolation: nil) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    try #require(lines.count == 3 && lines[1] == "event: notification")
    let number = try #require(Int64(lines[0].dropFirst("id: ".count)))
    let json = try JSON(parsing: Array(lines[2].dropFirst("data: ".count).utf8))
    return (number, try #require(json["ck"]["nid"].string))
  }
}
