import Foundation
import StratusWire

/// The reason why a command failed, as a sentence that says what to do.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Writes a line to standard output immediately, so that a script that reads the output gets the
/// line at once.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Writes a line to standard error.
func complain(_ line: String) {
  FileHandle.standardError.write(Data((line + "\n").utf8))
}

/// Writes a value as JSON.
func say(json value: some JSONWritable) {
  say(String(decoding: value.jsonBytes, as: UTF8.self))
}
