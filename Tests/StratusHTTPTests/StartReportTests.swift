import Foundation
import StratusWire
import Testing

@testable import StratusServer

@Suite struct `The lines that a server prints at its start` {
  private let folder = URL(fileURLWithPath: "/srv/stratus", isDirectory: true)

  @Test func `the start report names the version, the data folder and the address`() {
    var settings = Settings(dataFolder: folder)
    settings.storeIdleSeconds = nil
    #expect(
      StartReport(of: settings, at: "http://127.0.0.1:8080").lines == [
        "stratus: version \(ServerVersion.current)",
        "stratus: data    /srv/stratus",
        "stratus: address http://127.0.0.1:8080",
      ])
  }

  @Test func `the start report notes that a proxy is not named`() throws {
    var settings = Settings(dataFolder: folder, publicURL: "https://cloud.example.org")
    func notes() -> [String] {
      StartReport(of: settings, at: "http://127.0.0.1:8080").lines
        .filter { $0.hasPrefix("stratus: note") }
    }
    #expect(notes().count == 1)
    #expect(notes().first?.contains("--trusted-proxy") == true)
    settings.connections.trustedProxies = [try #require(AddressRange("127.0.0.1"))]
    #expect(notes().isEmpty)
    settings.connections.trustedProxies = []
    settings.tls = TLSFiles(certificate: "/etc/cloud.pem", key: "/etc/cloud.key")
    #expect(notes().isEmpty)
    settings = Settings(dataFolder: folder, publicURL: "http://cloud.example.org")
    #expect(notes().isEmpty)
  }

  @Test(arguments: [(0o600, 0), (0o640, 0), (0o644, 1)])
  func `the start report notes a private key that every user can read`(mode: Int, count: Int) throws
  {
    let key = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-key-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: key) }
    try Data().write(to: key)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key.path)
    var settings = Settings(dataFolder: folder)
    settings.tls = TLSFiles(certificate: "/none", key: key.path)
    let lines = StartReport(of: settings, at: "https://a").lines
    #expect(lines.count { $0.contains("chmod o= \(key.path)") } == count)
  }

  @Test func `the start report names every option that is switched on`() {
    var settings = Settings(
      dataFolder: folder, developerEmail: "developer@localhost",
      publicURL: "https://cloud.example.org", limits: .standard)
    settings.managementPort = 8081
    settings.tls = TLSFiles(certificate: "/etc/cloud.pem", key: "/etc/cloud.key")
    settings.connections.trustedProxies = [AddressRange("10.0.0.0/8")].compactMap { $0 }
    settings.historyDays = 90
    settings.storeIdleSeconds = 600
    let lines = StartReport(of: settings, at: "http://127.0.0.1:8080").lines
    #expect(
      lines.dropFirst(3) == [
        "stratus: on      development: containers on first use, developer@localhost is signed in",
        "stratus: on      public URL https://cloud.example.org",
        "stratus: on      TLS with /etc/cloud.pem",
        "stratus: on      trusted proxies (1 range)",
        "stratus: on      management at port 8081",
        "stratus: on      deletions leave the history after 90 days",
        "stratus: on      stores close after 600 s without a request",
        "stratus: on      rate limits (6 of 6)",
      ])
  }
}
