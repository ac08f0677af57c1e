import Foundation
import NIOCore
import NIOSSL
import Synchronization

/// The certificate chain and the private key of a server. They are read from two files, which may
/// change while the server runs.
///
/// NB: Hummingbird's `TLSChannel` cannot be used, because it never reads the certificate again.
public final class TLSIdentity: Sendable {
  /// The state of the two files at some time.
  private struct Stamp: Hashable {
    let files: [FileStamp?]
  }

  private struct State {
    var context: NIOSSLContext
    var expiresAt: Int64
    /// The state of the files when they were last read, successfully or not.
    var read: Stamp
    /// The state of the files when they were last checked.
    var seen: Stamp
  }

  private let certificateFile: String
  private let keyFile: String
  /// Returns the time in milliseconds since 1970 UTC.
  private let now: @Sendable () -> Int64
  private let state: Mutex<State>
  /// Is locked while the files are read, so that an older pair of files never replaces a newer
  /// pair.
  private let reading = Mutex(())

  /// Reads both files.
  ///
  /// - Parameters:
  ///   - certificateFile: the server's certificate and the intermediate certificates, as PEM.
  ///   - keyFile: the private key of the first certificate, as PEM without a passphrase.
  /// - Throws: a sentence that says which file is wrong, and why.
  public init(
    certificateFile: String, keyFile: String, now: @escaping @Sendable () -> Int64
  ) throws(TLSFailure) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
    self.now = now
    let stamp = Self.stamp([certificateFile, keyFile])
    let (context, expiresAt) = try Self.read(certificateFile, keyFile, now: now())
    state = Mutex(State(context: context, expiresAt: expiresAt, read: stamp, seen: stamp))
  }

  /// The TLS settings for new connections.
  var context: NIOSSLContext { state.withLock { $0.context } }

  /// The time when the certificate expires, in milliseconds since 1970 UTC.
  public var expiresAt: Int64 { state.withLock { $0.expiresAt } }

  /// Reads the files again. New connections use the new certificate and key. Open connections keep
  /// the old ones.
  ///
  /// - Throws: a sentence that says what is wrong. In this case, the old certificate stays in use.
  public func reload() throws(TLSFailure) {
    try reading.withLock { _ throws(TLSFailure) in
      let stamp = Self.stamp([certificateFile, keyFile])
      state.withLock { ($0.read, $0.seen) = (stamp, stamp) }
      let (context, expiresAt) = try Self.read(certificateFile, keyFile, now: now())
      state.withLock { ($0.context, $0.expiresAt) = (context, expiresAt) }
    }
  }

  /// Reads the files again if they have changed, but only if they are the same as at the previous
  /// check. A program that replaces both files may otherwise have replaced only one of them.
  ///
  /// - Returns: whether a new certificate and key are in use.
  /// - Throws: the same errors as ``reload()``.
  public func reloadIfChanged() throws(TLSFailure) -> Bool {
    let stamp = Self.stamp([certificateFile, keyFile])
    let isDue = state.withLock { state in
      defer { state.seen = stamp }
      return stamp != state.read && stamp == state.seen
    }
    if isDue { try reload() }
    return isDue
  }

  private static func stamp(_ files: [String]) -> Stamp {
    Stamp(files: files.map(FileStamp.init))
  }

  private static func read(
    _ certificateFile: String, _ keyFile: String, now: Int64
  ) throws(TLSFailure) -> (NIOSSLContext, expiresAt: Int64) {
    let chain: [NIOSSLCertificate]
    do { chain = try NIOSSLCertificate.fromPEMBytes(try bytes(of: certificateFile)) } catch {
      throw TLSFailure(error, "'\(certificateFile)' contains no certificate in the PEM format")
    }
    guard let first = chain.first else {
      throw TLSFailure("'\(certificateFile)' contains no certificate in the PEM format")
    }
    let key: NIOSSLPrivateKey
    do { key = try NIOSSLPrivateKey(bytes: try bytes(of: keyFile), format: .pem) } catch {
      throw TLSFailure(
        error, "'\(keyFile)' contains no private key in the PEM format without a passphrase")
    }
    let expiresAt = Int64(first.notValidAfter) * 1_000
    if expiresAt <= now { throw TLSFailure("the certificate in '\(certificateFile)' has expired") }
    if Int64(first.notValidBefore) * 1_000 > now {
      throw TLSFailure("the certificate in '\(certificateFile)' is not valid yet")
    }
    do { return (try NIOSSLContext(configuration: configuration(chain, key)), expiresAt) } catch {
      throw TLSFailure(
        "the key in '\(keyFile)' does not belong to the first certificate in '\(certificateFile)'")
    }
  }

  private static func bytes(of file: String) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw TLSFailure("the file '\(file)' cannot be read")
    }
    return Array(data)
  }

  private static func configuration(
    _ chain: [NIOSSLCertificate], _ key: NIOSSLPrivateKey
  ) -> TLSConfiguration {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    // These cipher suites of TLS 1.2 have forward secrecy and authenticated encryption (ASVS
    // 12.1.2). TLS 1.3 has only such suites.
    configuration.cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"
    configuration.applicationProtocols = ["http/1.1"]
    // A client that has disconnected never answers `close_notify`, which ends a TLS connection. So
    // the server waits only a second for the answer.
    configuration.shutdownTimeout = .seconds(1)
    return configuration
  }
}

/// Properties of a file that change when the file is replaced or written.
private struct FileStamp: Hashable {
  let number: UInt64
  let size: UInt64
  let modified: Date

  /// - Parameter path: a file, or a symbolic link to one.
  init?(_ path: String) {
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
      let number = attributes[.systemFileNumber] as? UInt64,
      let size = attributes[.size] as? UInt64,
      let modified = attributes[.modificationDate] as? Date
    else { return nil }
    self.number = number
    self.size = size
    self.modified = modified
  }
}

/// The reason why a certificate or its key cannot be used, as a sentence for the operator.
public struct TLSFailure: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }

  /// Keeps the error if it is a `TLSFailure`. Otherwise, uses the given sentence.
  fileprivate init(_ error: any Error, _ otherwise: String) {
    self = error as? TLSFailure ?? TLSFailure(otherwise)
  }
}
