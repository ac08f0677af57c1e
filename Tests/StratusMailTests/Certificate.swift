import Foundation
import NIOSSL

/// A certificate for `localhost` that `openssl` makes for one test.
struct Certificate {
  private let folder: URL

  var path: String { folder.appendingPathComponent("site.pem").path }
  private var key: String { folder.appendingPathComponent("site.key").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-smtp-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
      "-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days",
      "10", "-keyout", key, "-out", path,
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
  }

  func context() throws -> NIOSSLContext {
    try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(path).map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))))
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }
}
