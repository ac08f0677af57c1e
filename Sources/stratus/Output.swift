import Foundation
import StratusWire

/// The reason why a command failed, as a sentence that says what to do.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Writes a line to standard output immediately, so that a script that reads the output gets the
/// line at once.
func say(_ line: String) { StandardOutput.put(Array((line + "\n").utf8)) }

/// Writes a line to standard error. An error is ignored, because no place is left to report it.
func complain(_ line: String) {
  _ = StandardOutput.put(Array((line + "\n").utf8), to: STDERR_FILENO)
}

/// Writes bytes to standard output.
enum StandardOutput {
  /// The exit status that a shell reports for a program that SIGPIPE has ended.
  static let closedStatus = 128 + SIGPIPE

  /// Writes all bytes. Ends the program if they cannot be written. If the output is closed, there
  /// is no message, because a reader such as `head` closes the output when it has read enough.
  ///
  /// NB: SwiftNIO ignores SIGPIPE, so the signal does not end the program.
  static func put(_ bytes: [UInt8]) {
    switch put(bytes, to: STDOUT_FILENO) {
    case nil: break
    case EPIPE?: exit(closedStatus)
    case let error?:
      complain("the output cannot be written: \(String(cString: strerror(error)))")
      exit(EXIT_FAILURE)
    }
  }

  /// Writes all bytes to a file.
  ///
  /// - Returns: the number of an error, or nil.
  static func put(_ bytes: [UInt8], to file: Int32) -> Int32? {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        Foundation.write(file, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        written += count
        continue
      }
      let error = errno
      if error == EAGAIN {
        var room = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        _ = poll(&room, 1, -1)
      } else if error != EINTR {
        return error
      }
    }
    return nil
  }
}

/// Writes a value as JSON.
func say(json value: some JSONWritable) {
  say(String(decoding: value.jsonBytes, as: UTF8.self))
}
