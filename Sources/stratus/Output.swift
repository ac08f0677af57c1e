import Foundation
import StratusWire

/// Why a command failed: one sentence that says what to do.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Writes a line to standard output at once, so that scripts reading a pipe see it.
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
