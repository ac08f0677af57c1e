import HTTPTypes

/// The page at `/`. It tells a visitor that a Stratus server runs at this address.
///
/// The page contains no script, loads nothing, and does not depend on the caller.
struct HomePage: Sendable {
  let body: [UInt8]

  init(version: String) {
    body = Array(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <meta name="color-scheme" content="light dark">
      <title>Stratus</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      <h1>Stratus \(Self.escaped(version))</h1>
      <p>A Stratus server answers at this address. It keeps the data of apps that use CloudKit. \
      Apps use it by the <code>CloudKit</code> module for Swift on Linux, and web apps by \
      CloudKit Web Services.</p>
      <ul>
      <li><a href="health/ready">Is the server ready?</a> The same answer serves monitoring.</li>
      <li><a href="https://developer.apple.com/documentation/cloudkit" \
      rel="noreferrer">The CloudKit framework</a>, described by Apple</li>
      <li><a href="https://developer.apple.com/library/archive/documentation/DataManagement/\
      Conceptual/CloudKitWebServicesReference/index.html" rel="noreferrer">CloudKit Web \
      Services</a>, described by Apple</li>
      </ul>
      <p>On the server, <code>stratus help</code> lists the commands.</p>
      </body>
      </html>

      """.utf8)
  }

  /// The header fields of the page. They replace the header fields of JSON answers.
  let fields: HTTPFields = [
    .contentType: "text/html; charset=UTF-8",
    .contentSecurityPolicy:
      "default-src 'none'; style-src '\(Self.styleHash)'; base-uri 'none'; form-action 'none'; "
      + "frame-ancestors 'none'",
    .xContentTypeOptions: "nosniff",
    .referrerPolicy: "no-referrer",
    .cacheControl: "no-cache",
  ]

  static let style = """

    body { font: 1rem/1.5 system-ui, sans-serif; }
    body { margin: 4rem auto; max-width: 38rem; padding: 0 1rem; }
    h1 { font-size: 1.6rem; }
    code { font-size: 0.95em; }

    """

  /// The hash with which the content security policy permits the style, in the format of CSP Level
  /// 3.
  static let styleHash = "sha256-ZkhukvZXvhlA6C66T4k2QLb5hlPcdDEXrBhicW6vmm0="

  /// Escapes a text for HTML.
  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}

extension HTTPField.Name {
  /// NB: the fallback is never used, because the name is a legal token.
  fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .server
}
