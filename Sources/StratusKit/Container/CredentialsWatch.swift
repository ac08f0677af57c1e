import Foundation
import StratusTransport
import Synchronization

/// Looks at the credentials file now and then, and tells of its changes: somebody may sign in or
/// out with `stratus login` while programs run.
final class CredentialsWatch: Sendable {
  /// Seconds between two looks. Choice: as soon as a person expects it; a look costs microseconds.
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

  /// Looks for as long as the task is not cancelled.
  func run() async {
    while true {
      do { try await timing.sleep(Self.pauseSeconds) } catch { return }
      look()
    }
  }

  /// Has `follower` called with the file's contents, nil where it has none, after each change.
  ///
  /// - Returns: whether it is the first.
  func follow(_ follower: @escaping @Sendable (ServerSettings?) -> Void) -> Bool {
    state.withLock { state in
      state.followers.append(follower)
      return state.followers.count == 1
    }
  }

  /// Looks once.
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
