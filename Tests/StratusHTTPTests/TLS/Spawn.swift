import Foundation

/// Runs programs.
///
/// NB: this does not use Foundation's `Process`, whose `run()` crashed on Linux while many other
/// tests ran in the same process.
enum Spawn {
  /// Runs a program that is found by `PATH`, and waits for its end. The program has no environment
  /// variables, and what it writes to standard error is discarded.
  ///
  /// - Throws: `POSIXError` if the program cannot be started or its exit status is not 0.
  static func run(_ arguments: [String]) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    let words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child = pid_t()
    let fault = posix_spawnp(&child, arguments[0], &actions, nil, words, [nil])
    guard fault == 0 else { throw POSIXError(POSIXErrorCode(rawValue: fault) ?? .EIO) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) == -1 {
      guard errno == EINTR else { throw POSIXError(.ECHILD) }
    }
    guard status == 0 else { throw POSIXError(.EIO) }
  }
}
