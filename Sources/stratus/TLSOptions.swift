import ArgumentParser
import StratusServer

/// The files of the server's certificate and its key. Either both or none must be given.
struct TLSOptions: ParsableArguments {
  @Option(
    name: .customLong("tls-certificate"),
    help: ArgumentHelp(
      """
      The server's certificate and the intermediate certificates (PEM). They are read again after \
      SIGHUP and when the files change.
      """,
      valueName: "file"))
  var certificate: String?

  @Option(
    name: .customLong("tls-key"),
    help: ArgumentHelp(
      "The private key of the certificate (PEM, without a passphrase).", valueName: "file"))
  var key: String?

  /// - Returns: nil if no option is given.
  /// - Throws: `Failure` if only one of the two options is given.
  func files() throws -> TLSFiles? {
    switch (certificate, key) {
    case (nil, nil): return nil
    case (let certificate?, let key?): return TLSFiles(certificate: certificate, key: key)
    case (nil, _): throw Failure("--tls-key needs --tls-certificate, too")
    case (_, nil): throw Failure("--tls-certificate needs --tls-key, too")
    }
  }
}
