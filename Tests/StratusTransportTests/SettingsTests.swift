import Foundation
import StratusWire
import Testing

@testable import StratusTransport

@Suite struct `Server settings` {
  @Test func `server settings are read from the environment`() {
    let settings = ServerSettings(environmentVariables: [
      "STRATUS_URL": "http://127.0.0.1:9", "STRATUS_CONTAINER": "iCloud.a",
      "STRATUS_ENVIRONMENT": "production", "STRATUS_API_TOKEN": "api",
      "STRATUS_WEB_AUTH_TOKEN": "web",
    ])
    #expect(
      settings
        == ServerSettings(
          url: URL(string: "http://127.0.0.1:9"), container: "iCloud.a",
          environment: .production, apiToken: "api", webAuthToken: "web"))
  }

  @Test func `an empty variable is treated as unset`() {
    #expect(
      ServerSettings(environmentVariables: ["STRATUS_API_TOKEN": ""]) == ServerSettings())
  }

  @Test func `each server setting comes from the first source that has it`() {
    let code = ServerSettings(apiToken: "mine")
    let both = code.completed(by: ServerSettings(container: "iCloud.a", apiToken: "theirs"))
    #expect(both.apiToken == "mine")
    #expect(both.container == "iCloud.a")
  }
}

@Suite struct `The credentials file` {
  private func inFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-credentials-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.appendingPathComponent("stratus/credentials.json"))
  }

  private let settings = ServerSettings(
    url: URL(string: "https://cloud.example.org"), container: "iCloud.a",
    environment: .production, apiToken: "api", webAuthToken: "web")

  @Test func `the credentials file returns the values that were written`() throws {
    try inFolder { location in
      try CredentialsFile.write(ServerSettings(apiToken: "old"), to: location)
      try CredentialsFile.write(settings, to: location)
      #expect(CredentialsFile.read(at: location) == settings)
    }
  }

  @Test func `the credentials file can be read only by its owner`() throws {
    try inFolder { location in
      try CredentialsFile.write(settings, to: location)
      let files = FileManager.default
      let made = try files.attributesOfItem(atPath: location.path)[.posixPermissions]
      #expect((made as? NSNumber)?.intValue == 0o600)
      try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: location.path)
      #expect(CredentialsFile.read(at: location) == nil)
    }
  }

  @Test func `a missing credentials file has no values`() throws {
    try inFolder { #expect(CredentialsFile.read(at: $0) == nil) }
  }

  @Test
  func `a newer token of the same sign-in keeps the other values of the credentials file`() throws {
    try inFolder { location in
      try CredentialsFile.write(settings, to: location)
      let text = try String(contentsOf: location, encoding: .utf8)
      let more = text.replacingOccurrences(of: "{", with: "{\n  \"note\" : [1, null],")
      let handle = try FileHandle(forWritingTo: location)
      try handle.write(contentsOf: Data(more.utf8))
      try handle.close()
      let signIn = Connection.digest(of: "web")
      for token in ["second", "third"] {
        #expect(CredentialsFile.renew(token, signIn: signIn, at: location))
        var expected = settings
        expected.webAuthToken = token
        expected.signIn = signIn
        #expect(CredentialsFile.read(at: location) == expected)
      }
      #expect(try String(contentsOf: location, encoding: .utf8).contains("\"note\""))
      let files = FileManager.default
      let made = try files.attributesOfItem(atPath: location.path)[.posixPermissions]
      #expect((made as? NSNumber)?.intValue == 0o600)
      let names = try files.contentsOfDirectory(atPath: location.deletingLastPathComponent().path)
      #expect(names.sorted() == ["credentials.json", "credentials.json.lock"])
    }
  }

  @Test func `a renewed token does not replace the token of another sign-in in the file`() throws {
    try inFolder { location in
      let signIn = Connection.digest(of: "web")
      #expect(!CredentialsFile.renew("new", signIn: signIn, at: location))
      try CredentialsFile.write(settings, to: location)
      #expect(CredentialsFile.renew("second", signIn: signIn, at: location))
      // Another process replaces the token and keeps the other values.
      let text = try String(contentsOf: location, encoding: .utf8)
      let edited = text.replacingOccurrences(of: "\"second\"", with: "\"other\"")
      let handle = try FileHandle(forWritingTo: location)
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: Data(edited.utf8))
      try handle.close()
      #expect(CredentialsFile.read(at: location)?.signIn == nil)
      #expect(!CredentialsFile.renew("third", signIn: signIn, at: location))
      #expect(CredentialsFile.read(at: location)?.webAuthToken == "other")
    }
  }

  @Test func `the credentials file is in the user's configuration folder`() {
    func path(_ variables: [String: String]) -> String? {
      CredentialsFile.location(environmentVariables: variables)?.path
    }
    #expect(path(["HOME": "/home/a"]) == "/home/a/.config/stratus/credentials.json")
    #expect(
      path(["HOME": "/home/a", "XDG_CONFIG_HOME": "/etc/a"]) == "/etc/a/stratus/credentials.json")
    #expect(path([:]) == nil)
  }
}
