import Dispatch
import StratusDomain

/// Copies a file's write-ahead log into the file, on another thread and through another connection
/// than the writer's.
///
/// NB: this type is unchecked, because only `queue` uses the connection.
final class LogCopier: @unchecked Sendable {
  private let connection: SQLiteConnection
  private let queue = DispatchQueue(label: "stratus.checkpoints")

  /// - Throws: see ``SQLiteConnection/init(path:configuration:)``.
  init(path: String) throws(ServerError) {
    connection = try SQLiteConnection(path: path, configuration: SQLiteSettings.checkpointer)
  }

  /// Starts to copy the pages that no reader uses. Other pages are copied later, by the writer or
  /// by the next copy.
  ///
  /// - Parameter whenCopied: is called on the other thread, even after an error.
  func copy(_ whenCopied: @escaping @Sendable () -> Void) {
    queue.async {
      self.connection.checkpoint()
      whenCopied()
    }
  }

  /// Waits until the copying has ended, and closes the connection.
  func close() { queue.sync { connection.close() } }
}
