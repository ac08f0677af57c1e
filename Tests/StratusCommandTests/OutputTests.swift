import Foundation
import Testing

@testable import stratus

/// Standard output of the commands.
@Suite struct `The output of a command` {
  @Test func `all bytes of the output are written`() throws {
    let pipe = Pipe()
    let bytes = (0..<1_000).map { UInt8($0 % 251) }
    #expect(StandardOutput.put(bytes, to: pipe.fileHandleForWriting.fileDescriptor) == nil)
    #expect(try pipe.fileHandleForReading.read(upToCount: 1_000) == Data(bytes))
  }

  /// A reader such as `head` closes the pipe when it has read enough.
  @Test func `a command ends quietly when the reader closes the output`() async {
    await #expect(processExitsWith: .exitCode(StandardOutput.closedStatus)) {
      // SwiftNIO ignores the signal, too.
      _ = signal(SIGPIPE, SIG_IGN)
      let pipe = Pipe()
      try pipe.fileHandleForReading.close()
      dup2(pipe.fileHandleForWriting.fileDescriptor, STDOUT_FILENO)
      say("a line")
    }
  }
}
