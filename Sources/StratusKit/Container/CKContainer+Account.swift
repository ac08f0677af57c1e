import StratusTransport

extension CKContainer {
  /// Uses another account from now on: an addition of Stratus, for programs that let somebody sign
  /// in themselves.
  ///
  /// It concerns all containers of the process with the same settings. What has been asked before
  /// is answered to the account that asked.
  ///
  /// - Parameters:
  ///   - webAuthToken: stands for the user.
  ///   - apiToken: nil: the one that is used already.
  public func signIn(webAuthToken: String, apiToken: String? = nil) {
    path.adopt(apiToken: apiToken, webAuthToken: webAuthToken)
  }

  /// Uses no account from now on; see ``signIn(webAuthToken:apiToken:)``. Nothing is said to the
  /// server: the token stays good where it is known otherwise.
  public func signOut() { path.adopt(apiToken: nil, webAuthToken: nil) }

  /// Lets the container know how the server stands to its account, as if it had been asked.
  ///
  /// - Parameter refusal: nil: it accepts it.
  package func noteAccount(_ refusal: CKError.Code?) {
    guard let connection = path.connection else { return }
    path.account.note(refusal.map { CKError($0) }, of: connection.generation)
  }
}
