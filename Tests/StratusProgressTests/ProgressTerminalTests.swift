import Foundation
import Testing

@testable import StratusProgress

@Suite struct `The terminal of a progress line` {
  @Test func `the null device or a pipe is not a terminal for a progress line`() throws {
    #expect(ProgressTerminal(FileHandle.nullDevice).map { _ in 0 } == nil)
    #expect(ProgressTerminal(Pipe().fileHandleForWriting).map { _ in 0 } == nil)
  }

  @Test func `a progress line writes to the real terminal and uses its width`() throws {
    var (ours, theirs): (Int32, Int32) = (0, 0)
    var size = winsize(ws_row: 24, ws_col: 57, ws_xpixel: 0, ws_ypixel: 0)
    try #require(openpty(&ours, &theirs, nil, nil, &size) == 0)
    let reader = FileHandle(fileDescriptor: ours, closeOnDealloc: true)
    let writer = FileHandle(fileDescriptor: theirs, closeOnDealloc: true)
    let terminal = try #require(ProgressTerminal(writer))
    #expect(terminal.columns() == 57)
    terminal.write("\rcopying")
    #expect(String(decoding: reader.availableData, as: UTF8.self) == "\rcopying")
  }
}
