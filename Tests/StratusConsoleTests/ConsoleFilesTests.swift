import Testing

@testable import StratusConsole

@Suite struct `The files of the console` {
  private let files = ConsoleFiles()

  @Test func `the page names the folder of the files`() {
    let page = String(decoding: files.page.bytes, as: UTF8.self)
    #expect(page.contains("/files/\(files.hash)/main.js"))
    #expect(!page.contains("HASH"))
    #expect(page.contains("</html>"))
  }

  @Test(arguments: [
    ("main.js", "text/javascript; charset=utf-8"), ("style.css", "text/css; charset=utf-8"),
    ("icon.svg", "image/svg+xml"), ("records/records.js", "text/javascript; charset=utf-8"),
  ]) func `a file has the type of its name`(_ path: String, _ type: String) throws {
    let file = try #require(files.file(at: "/files/\(files.hash)/\(path)"))
    #expect(file.contentType == type)
    #expect(!file.bytes.isEmpty)
  }

  @Test(arguments: ["/files/0000000000000000/main.js", "/main.js", "/files/main.js"])
  func `a path without the hash leads to no file`(_ path: String) {
    #expect(files.file(at: path) == nil)
  }

  @Test func `a path cannot leave the folder`() {
    #expect(files.file(at: "/files/\(files.hash)/../include/StratusConsoleFiles.h") == nil)
  }

  @Test func `the hash changes with a path and with a byte`() {
    let first = ConsoleFiles(["a.js": [1], "b.js": [2]])
    #expect(first.hash == ConsoleFiles(["b.js": [2], "a.js": [1]]).hash)
    #expect(first.hash != ConsoleFiles(["a.js": [1], "b.js": [3]]).hash)
    #expect(first.hash != ConsoleFiles(["a.js": [1], "c.js": [2]]).hash)
    #expect(first.hash.count == 16)
  }
}
