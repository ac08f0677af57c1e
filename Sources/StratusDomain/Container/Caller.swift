/// Who makes a request, and which one it is.
public struct Caller: Sendable, Hashable {
  /// The principal that makes the request.
  public var principal: Principal
  /// The address of the client's connection, e.g. `192.0.2.7`; nil: there is no connection.
  public var clientAddress: String?
  /// What the client calls itself, for `created` and `modified`.
  public var deviceID: String
  /// Names the request in answers and in the log.
  public var requestUUID: String
  /// Whether answers with records of one zone name the zone's newest place (`getCurrentSyncToken`,
  /// which Apple's own web apps send).
  public var wantsSyncToken = false
  /// The work that is done for the request.
  public let work = WorkMeter()
  /// What the caller calls the server, e.g. `http://127.0.0.1:8080`; begins the URLs in answers.
  public var serverURL = ""
  /// Where to sign in, for `AUTHENTICATION_REQUIRED`; nil: nowhere.
  public var signInURL: String?

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

  /// The user's record name in the container; nil: nobody is signed in.
  public var userRecordName: String? { principal.userRecordName }

  /// The name of the caller in queues: a user, or the address of an anonymous caller.
  var paceKey: String { userRecordName ?? "address " + (clientAddress ?? "") }
}
