import StratusTransport

extension CKContainer {
  /// Makes the container use another account from now on. This method is an addition of Stratus,
  /// for programs with their own sign-in.
  ///
  /// The change concerns all containers in this process that have the same settings. Answers to
  /// earlier requests still belong to the previous account.
  ///
  /// - Parameters:
  ///   - webAuthToken: identifies the user.
  ///   - apiToken: identifies the app; nil keeps the present API token.
  public func signIn(webAuthToken: String, apiToken: String? = nil) {
    path.adopt(apiToken: apiToken, webAuthToken: webAuthToken)
  }

  /// Makes the container use no account from now on; see ``signIn(webAuthToken:apiToken:)``. The
  /// server is not notified, so the token remains valid elsewhere.
  public func signOut() { path.adopt(apiToken: nil, webAuthToken: nil) }

  /// Sets the account's status as if the server had reported it.
  ///
  /// - Parameter refusal: the server's rejection; nil if the server accepts the account.
  package func noteAccount(_ refusal: CKError.Code?) {
    guard let connection = path.connection else { return }
    path.account.note(refusal.map { CKError($0) }, of: connection.generation)
  }
}
