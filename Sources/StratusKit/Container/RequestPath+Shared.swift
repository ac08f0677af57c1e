import Foundation
import StratusTransport
import Synchronization

extension RequestPath {
  /// What containers have in common that share a path.
  private struct SharedKey: Hashable {
    /// Without tokens where they come from the file.
    var settings: ServerSettings
    let followsFile: Bool
  }

  private static let tokenQueue = DispatchQueue(label: "stratus.credentials")
  private static let known = Mutex<[SharedKey: RequestPath]>([:])

  /// The path that all containers with these settings share.
  ///
  /// Where the settings do not name a user, the credentials file does, today and tomorrow.
  /// - Parameter settings: the app's, completed by the process's environment.
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

  /// Signs in and out as the credentials file says, and puts the user's newer tokens into it, so
  /// that a program that starts much later is still signed in.
  ///
  /// Choice: a file that names another server, or another environment, has nobody signed in to
  /// this one.
  /// - Parameter settings: the app's own, which count before the file's.
  /// - Returns: whether the watch was not followed before.
  func follow(_ watch: CredentialsWatch, _ settings: ServerSettings) -> Bool {
    let file = CredentialsFile.read(at: watch.file)
    let first = file.map(settings.completed(by:)) ?? settings
    connection?.keepTokens { token, signIn in
      // NB: not here, because an answer to the app would wait for the disk.
      Self.tokenQueue.async { CredentialsFile.renew(token, signIn: signIn, at: watch.file) }
    }
    return watch.follow { [weak self] file in
      guard let self else { return }
      let now = file.map(settings.completed(by:)) ?? settings
      let isElsewhere =
        now.webAuthToken != nil
        && (now.url != first.url || now.environment != first.environment)
      if isElsewhere { return adopt(apiToken: nil, webAuthToken: nil, isSetInCode: false) }
      // A newer token that this program, or another one, has put there is no other sign-in.
      let isRenewed = connection?.renew(
        apiToken: now.apiToken, webAuthToken: now.webAuthToken, signIn: now.signIn)
      if isRenewed == true { return }
      adopt(
        apiToken: now.apiToken, webAuthToken: now.webAuthToken, signIn: now.signIn,
        isSetInCode: false)
    }
  }
}
