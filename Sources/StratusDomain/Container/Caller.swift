/// Who makes a request.
public struct Caller: Sendable, Hashable {
  /// The user's record name in the container; nil: nobody signed in (an API token alone).
  public var userRecordName: String?
  /// What the client calls itself, for `created` and `modified`.
  public var deviceID: String
  /// Where to sign in, for `AUTHENTICATION_REQUIRED`.
  public var signInURL: String?

  public init(userRecordName: String?, deviceID: String, signInURL: String? = nil) {
    self.userRecordName = userRecordName
    self.deviceID = deviceID
    self.signInURL = signInURL
  }
}
