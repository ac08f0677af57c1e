import Foundation
import StratusTransport
import Synchronization

extension RequestPath {
  /// Identifies the containers that share a request path.
  private struct SharedKey: Hashable {
    /// The settings of the containers. Tokens that come from the credentials file are left out.
    var settings: ServerSettings
    let followsFile: Bool
  }

  private static let tokenQueue = DispatchQueue(label: "stratus.credentials")
  private static let known = Mutex<[SharedKey: RequestPath]>([:])

  /// Returns the request path that all containers with these settings share.
  ///
  /// If the settings do not name a user, the user comes from the credentials file. Later changes of
  /// that file change the user.
  /// - Parameter settings: the app's settings, completed by the process's environment.
  static func shared(_ settings: ServerSettings) -> RequestPath {
    let file = Live.credentialsWatch.flatMap { CredentialsFile.read(at: $0.file) }
    let whole = file.map(settings.completed(by:)) ?? settings
    var key = SharedKey(settings: whole, followsFile: settings.webAuthToken == nil)
    if key.followsFile {
      key.settings.webAuthToken = nil
      key.settings.signIn = nil
      key.settings.apiToken = settings.apiToken
    }
    return known.withLock { known in
      if let path = known[key] { return path }
      let path = RequestPath(
        settings: whole, exchange: Live.exchange, timing: Live.timing, events: Live.exchange)
      if key.followsFile, let watch = Live.credentialsWatch, path.follow(watch, settings) {
        Task.detached { await watch.run() }
      }
      known[key] = path
      return path
    }
  }

  /// Signs in and out according to the credentials file, and writes the user's renewed tokens into
  /// that file. A program that starts later is therefore still signed in.
  ///
  /// Choice: if the file names another server or environment, no user is signed in to this server.
  /// - Parameter settings: the app's own settings, which override the file's.
  /// - Returns: whether this is the watch's first follower.
  func follow(_ watch: CredentialsWatch, _ settings: ServerSettings) -> Bool {
    let file = CredentialsFile.read(at: watch.file)
    let first = file.map(settings.completed(by:)) ?? settings
    connection?.keepTokens { token, signIn in
      // NB: the file is written on another queue, because a response to the app must not wait for
      // the disk.
      Self.tokenQueue.async { CredentialsFile.renew(token, signIn: signIn, at: watch.file) }
    }
    return watch.follow { [weak self] file in
      guard let self else { return }
      let now = file.map(settings.completed(by:)) ?? settings
      let isElsewhere =
        now.webAuthToken != nil
        && (now.url != first.url || now.environment != first.environment)
      if isElsewhere { return adopt(apiToken: nil, webAuthToken: nil, isSetInCode: false) }
      // A newer token of the same sign-in is not a new sign-in, whichever program wrote the token.
      let isRenewed = connection?.renew(
        apiToken: now.apiToken, webAuthToken: now.webAuthToken, signIn: now.signIn)
      if isRenewed == true { return }
      adopt(
        apiToken: now.apiToken, webAuthToken: now.webAuthToken, signIn: now.signIn,
        isSetInCode: false)
    }
  }
}
