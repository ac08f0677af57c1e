import Foundation
import StratusDomain
import StratusHTTP
import StratusServer

/// Certificates that `openssl` makes for one test.
struct Certificates: Sendable {
  let folder: URL

  /// Runs a test with an empty folder for certificates.
  static func with(_ body: (Certificates) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-tls-" + Live().ambient.makeUUID())
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(Certificates(folder: folder))
  }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Makes `NAME.pem` and `NAME.key` for `localhost`, valid for ten days.
  ///
  /// - Parameter key: the options of `openssl req` for the kind of key.
  func make(
    _ name: String, key: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
  ) throws {
    try Spawn.run(
      ["openssl", "req", "-x509", "-newkey"] + key + [
        "-nodes", "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost", "-days", "10",
        "-keyout", path("\(name).key"), "-out", path("\(name).pem"),
      ])
  }

  /// Copies a certificate and its key to `site.pem` and `site.key`, as a program that renews
  /// certificates does.
  ///
  /// - Parameter key: the certificate whose key is copied, or nil for the same certificate.
  func install(_ certificate: String, key: String? = nil) throws {
    for (name, file) in [
      ("\(certificate).pem", "site.pem"), ("\(key ?? certificate).key", "site.key"),
    ] {
      let (source, target) = (
        folder.appendingPathComponent(name), folder.appendingPathComponent(file)
      )
      try Data(contentsOf: source).write(to: target, options: .atomic)
    }
  }

  /// The certificate and key in `site.pem` and `site.key`.
  ///
  /// - Parameter days: the number of days by which the clock is ahead. The dates of the certificate
  ///   are checked with this clock.
  func identity(afterDays days: Int64 = 0) throws -> TLSIdentity {
    try TLSIdentity(certificateFile: path("site.pem"), keyFile: path("site.key")) {
      Live().ambient.now() + days * 86_400_000
    }
  }
}
