import NIOSSL
import StratusDomain

/// A server that accepts mails for delivery (message submission, RFC 6409), and the credentials for
/// it.
public struct SMTPServer: Sendable, Hashable {
  /// The protection of the connection.
  public enum Security: String, Sendable, CaseIterable {
    /// The connection begins with TLS, usually at port 465.
    case tls
    /// TLS begins after a command, usually at port 587.
    case starttls
    /// The connection is not encrypted. Use it only for a server on the same machine.
    case none
  }

  public var host: String
  public var port: Int
  public var security: Security
  /// The user name, or nil if the server needs no credentials.
  public var user: String?
  public var password: String?
  /// The path of a file with the certificates (PEM) that must have issued the server's certificate,
  /// or nil for the certificates of the system.
  public var trustFile: String?

  public init(
    host: String, port: Int, security: Security, user: String? = nil, password: String? = nil,
    trustFile: String? = nil
  ) {
    self.host = host
    self.port = port
    self.security = security
    self.user = user
    self.password = password
    self.trustFile = trustFile
  }

  /// Whether the server is on the same machine.
  private var isLocal: Bool { ["localhost", "127.0.0.1", "::1"].contains(host.lowercased()) }

  /// The name that the certificate must have. An IP address has no name in TLS. For an IP address,
  /// NIOSSL compares the certificate with the address of the connection.
  var certificateName: String? {
    let isAddress =
      host.contains(":") || host.allSatisfy { ($0.isASCII && $0.isNumber) || $0 == "." }
    return isAddress ? nil : host
  }

  /// Reads the certificates for the encryption of connections.
  ///
  /// - Returns: nil if connections are not encrypted.
  /// - Throws: a sentence, if the password would cross a network in clear text, or if the file of
  ///   certificates cannot be read.
  func encryption() throws(MailFailure) -> NIOSSLContext? {
    guard security != .none else {
      if user != nil, !isLocal {
        throw MailFailure(
          "the password for mail would be sent without encryption; set --smtp-security to tls or "
            + "starttls")
      }
      return nil
    }
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    if let trustFile { configuration.trustRoots = .file(trustFile) }
    do { return try NIOSSLContext(configuration: configuration) } catch {
      throw MailFailure(
        "the certificates in '\(trustFile ?? "the system's folder")' cannot be read: \(error)")
    }
  }
}
