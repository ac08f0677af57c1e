import StratusWire

/// The caller of a request, and the identity of the request.
public struct Caller: Sendable, Hashable {
  /// The principal that makes the request.
  public var principal: Principal
  /// The address of the client's connection, e.g. `192.0.2.7`, or nil if there is no connection.
  public var clientAddress: String?
  /// The ID that the client gave itself. Records contain it in `created` and `modified`.
  public var deviceID: String
  /// Identifies the request in answers and in the log.
  public var requestUUID: String
  /// Whether answers with records of one zone include the zone's newest change token
  /// (`getCurrentSyncToken`, which Apple's own web apps send).
  public var wantsSyncToken = false
  /// Whether the container does not exist yet and the first write will create it. This is possible
  /// only on a development server.
  public var createsContainer = false
  /// Counts the work that is done for the request.
  public let work = WorkMeter()
  /// Collects the parts of the schema that the request needed and that production lacks.
  public let lacks = LackNotes()
  /// Collects, for each change token of a zone in the answer, the position in the zone's history.
  public let sync = SyncNotes()
  /// The server's URL as the caller uses it, e.g. `http://127.0.0.1:8080`. URLs in answers begin
  /// with it.
  public var serverURL = ""
  /// The sign-in URL for `AUTHENTICATION_REQUIRED`, or nil if there is none.
  public var signInURL: String?

  /// The host of ``serverURL``, with its port.
  var serverHost: String {
    let parts = serverURL.split(separator: "/", omittingEmptySubsequences: true)
    return parts.dropFirst().first.map(String.init) ?? serverURL
  }

  public init(
    principal: Principal, deviceID: String, requestUUID: String, clientAddress: String? = nil,
    signInURL: String? = nil
  ) {
    self.principal = principal
    self.deviceID = deviceID
    self.requestUUID = requestUUID
    self.clientAddress = clientAddress
    self.signInURL = signInURL
  }

  /// A caller without a session, for tests and simulations.
  public init(
    userRecordName: String?, deviceID: String, requestUUID: String, signInURL: String? = nil
  ) {
    self.init(
      principal: .user(userRecordName), deviceID: deviceID, requestUUID: requestUUID,
      signInURL: signInURL)
  }

  /// The user's record name in the container, or nil if the caller is not signed in.
  public var userRecordName: String? { principal.userRecordName }

  /// The key of the caller's queue of long queries: a user, or the address of an anonymous caller.
  var paceKey: String { userRecordName ?? "address " + (subscriber ?? "") }

  /// The form of the client's address under which the limits count its requests: an IPv4 address,
  /// or the first 64 bits of an IPv6 address, always in the same spelling. It is nil if the address
  /// is unknown.
  public var subscriber: String? { clientAddress.map(NetworkAddress.subscriber) }
}
