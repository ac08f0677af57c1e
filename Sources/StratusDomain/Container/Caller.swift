/// Who makes a request, and which one it is.
public struct Caller: Sendable, Hashable {
  /// The user's record name in the container; nil: nobody signed in (an API token alone).
  public var userRecordName: String?
  /// What the client calls itself, for `created` and `modified`.
  public var deviceID: String
  /// Names the request in answers and in the log.
  public var requestUUID: String
  /// Whether answers with records of one zone name the zone's newest place (`getCurrentSyncToken`,
  /// which Apple's own web apps send).
  public var wantsSyncToken = false
  /// The address that the request comes from, without a port; nil: none is known.
  public var clientAddress: String?
  /// The work that is done for the request.
  public let work = WorkMeter()
  /// What the caller calls the server, e.g. `http://127.0.0.1:8080`; begins the URLs in answers.
  public var serverURL = ""
  /// Where to sign in, for `AUTHENTICATION_REQUIRED`; nil: nowhere.
  public var signInURL: String?

  public init(
    userRecordName: String?, deviceID: String, requestUUID: String, signInURL: String? = nil
  ) {
    self.userRecordName = userRecordName
    self.deviceID = deviceID
    self.requestUUID = requestUUID
    self.signInURL = signInURL
  }

  /// The name of the caller in queues: a user, or the address of an anonymous caller.
  var paceKey: String { userRecordName ?? "address " + (clientAddress ?? "") }
}
