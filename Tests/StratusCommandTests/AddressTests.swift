import Foundation
import StratusWire
import Testing

@testable import stratus

/// Addresses that an operator gives, or that a file contains.
@Suite struct `Addresses on the command line` {
  @Test(arguments: [
    ("https://cloud.example.org", "https://cloud.example.org"),
    ("https://Cloud.Example.org/", "https://cloud.example.org"),
    ("https://cloud.example.org:443", "https://cloud.example.org"),
    ("https://cloud.example.org:8443", "https://cloud.example.org:8443"),
    ("http://localhost:8080", "http://localhost:8080"), ("http://a:80", "http://a"),
    ("http://[::1]:8080", "http://[::1]:8080"), ("https://my_host", "https://my_host"),
  ])
  func `A public URL becomes the origin that browsers send`(text: String, url: String) throws {
    #expect(try ServeCommand.checkedURL(text, option: "--public-url") == url)
  }

  @Test(arguments: [
    "https://", "https:///", "https://cloud.example.org/stratus", "https://anna@cloud.example.org",
    "https://cloud.example.org?a", "https://cloud.example.org#a", "https://a..b", "https://a b",
    "https://a:0", "https://a:70000", "ftp://a", "cloud.example.org", "https://a:b",
    "https://a;touch",
  ])
  func `A public URL that is no origin of http or https is refused`(text: String) {
    #expect(throws: Failure.self) { try ServeCommand.checkedURL(text, option: "--public-url") }
  }

  @Test(arguments: [
    ("https://cloud.example.org", true), ("http://127.0.0.1:8081", true),
    ("http://localhost:8081", true), ("http://[::1]:8081", true), ("HTTPS://a", true),
    ("http+unix://%2Frun%2Fstratus", true), ("http://cloud.example.org", false),
    ("http://10.0.0.1:8081", false), ("http://localhost.example.org", false),
    ("http://127.0.0.1.example.org", false), ("http://127.0.0.1@example.org", false),
    ("cloud.example.org", false), ("", false),
  ])
  func `The management token never crosses a network in clear text`(
    url: String, isPrivate: Bool
  ) throws {
    if isPrivate { return try requirePrivateManagement(url) }
    #expect(throws: Failure.self) { try requirePrivateManagement(url) }
  }

  @Test
  func `A shell that reads the printed variables runs no command that an address contains`()
    throws
  {
    let file = ManagementFile(
      url: "", token: "", serverURL: "https://a$(touch b)'; c", apiToken: "0a", webAuthToken: "A+/="
    )
    let lines = exports(of: file)
    #expect(lines.first == "export STRATUS_URL='https://a$(touch b)'\\''; c'")
    #expect(lines.last == "export STRATUS_WEB_AUTH_TOKEN=A+/=")
    let plain = ManagementFile(url: "http://[::1]:8080", token: "")
    #expect(
      exports(of: ManagementFile(url: "http://127.0.0.1:80", token: "")).first
        == "export STRATUS_URL=http://127.0.0.1:80")
    #expect(exports(of: plain).first == "export STRATUS_URL='http://[::1]:8080'")
  }

  @Test(arguments: [(0o600, true), (0o644, true), (0o620, false), (0o602, false)])
  func `A management file that other users can write is not used`(
    mode: Int, isUsed: Bool
  ) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-command-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent(ManagementFile.name)
    try Data(ManagementFile(url: "http://localhost", token: "t").jsonBytes).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    var data = DataOption()
    data.path = folder.path
    if isUsed {
      #expect(try ManagementFile.read(in: data).token == "t")
    } else {
      #expect(throws: Failure.self) { try ManagementFile.read(in: data) }
    }
  }
}
