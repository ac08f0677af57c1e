import Foundation
import StratusConsole
import StratusServer
import Testing

@Suite struct `A folder with the console's files` {
  private func withFolder(_ body: (ConsoleFolder, URL) throws -> Void) throws {
    let parent = FileManager.default.temporaryDirectory
      .appendingPathComponent("console-folder-\(UUID().uuidString)")
    let folder = parent.appendingPathComponent("Files")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: parent) }
    try Data("/files/HASH/main.js".utf8).write(to: folder.appendingPathComponent("index.html"))
    try Data("one".utf8).write(to: folder.appendingPathComponent("main.js"))
    try Data("secret".utf8).write(to: parent.appendingPathComponent("outside.js"))
    try body(ConsoleFolder(folder.path), folder)
  }

  private func text(_ file: ConsoleFiles.File?) -> String? {
    file.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test func `the console serves a changed file without a restart`() throws {
    try withFolder { source, folder in
      let path = try #require(text(source.page))
      #expect(text(source.file(at: path)) == "one")
      try Data("two".utf8).write(to: folder.appendingPathComponent("main.js"))
      #expect(text(source.file(at: path)) == "two")
      #expect(source.file(at: path)?.contentType == "text/javascript; charset=utf-8")
      #expect(!source.isFixed)
    }
  }

  @Test func `no path of the console leads to a file outside its folder`() throws {
    try withFolder { source, folder in
      try FileManager.default.createSymbolicLink(
        at: folder.appendingPathComponent("link.js"),
        withDestinationURL: folder.deletingLastPathComponent().appendingPathComponent("outside.js"))
      for name in ["../outside.js", "link.js", "/etc/passwd", "..", ""] {
        #expect(source.file(at: "/files/folder/" + name) == nil, "\(name)")
      }
      #expect(source.file(at: "/files/other/main.js") == nil)
    }
  }
}
