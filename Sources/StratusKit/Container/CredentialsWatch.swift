import Foundation
import StratusTransport
import Synchronization

/// Checks the credentials file periodically and reports its changes. A user may sign in or out with
/// `stratus login` while programs run.
final class CredentialsWatch: Sendable {
  /// The number of seconds between two checks. Choice: a user who has signed in waits for the next
  /// check. The time can be short, because a check takes only microseconds.
  static let pauseSeconds = 2.0

  private struct State {
    var seen: FileIdentity?
    var followers: [@Sendable (ServerSettings?) -> Void] = []
  }

  let file: URL
  private let timing: Timing
  private let state: Mutex<State>

  init(file: URL, timing: Timing) {
    self.file = file
    self.timing = timing
    state = Mutex(State(seen: FileIdentity(at: file)))
  }

  /// Checks the file until the task is cancelled.
  func run() async {
    while true {
      do { try await timing.sleep(Self.pauseSeconds) } catch { return }
      look()
    }
  }

  /// Registers a follower. After each change of the file, the follower is called with the file's
  /// contents, or with nil if the file does not exist or cannot be read.
  ///
  /// - Returns: whether it is the first follower.
  func follow(_ follower: @escaping @Sendable (ServerSettings?) -> Void) -> Bool {
    state.withLock { state in
      state.followers.append(follower)
      return state.followers.count == 1
    }
  }

  /// Checks the file once.
  func look() {
    let found = FileIdentity(at: file)
    let followers = state.withLock { state in
      defer { state.seen = found }
      return state.seen == found ? [] : state.followers
    }
    if followers.isEmpty { return }
    let contents = CredentialsFile.read(at: file)
    for follower in followers { follower(contents) }
  }
}
