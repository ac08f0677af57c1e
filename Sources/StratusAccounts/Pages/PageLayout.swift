import StratusDomain

/// The parts that all pages have in common: the head, the style, and the header fields.
enum PageLayout {
  static let stylePath = "/auth/style.css"
  static let scriptPath = "/auth/callback.js"
  static let shareScriptPath = "/auth/share.js"

  /// Creates an answer that is a page with this content.
  ///
  /// - Parameters:
  ///   - callback: the URL outside this server to which a form of the page may redirect.
  ///   - hasOpener: whether an app has opened the page's window.
  ///   - script: whether the page runs the script at ``scriptPath``.
  ///   - keepsFragment: whether the page runs the script at ``shareScriptPath``.
  ///   - usesPasskeys: whether the page runs the script at ``PasskeyScript/path``.
  static func answer(
    _ title: String, _ content: HTML, status: Int = 200, callback: String? = nil,
    hasOpener: Bool = false, script: Bool = false, keepsFragment: Bool = false,
    usesPasskeys: Bool = false
  ) -> PageAnswer {
    let scriptElement: HTML = "<script src=\"\(scriptPath)\"></script>"
    let shareElement: HTML = "<script src=\"\(shareScriptPath)\"></script>"
    let passkeyElement: HTML = "<script src=\"\(PasskeyScript.path)\"></script>"
    let page: HTML = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <link rel="stylesheet" href="\(stylePath)">
      </head>
      <body>
      <main>
      \(content)
      </main>
      \(script ? scriptElement : nil)\(keepsFragment ? shareElement : nil)\
      \(usesPasskeys ? passkeyElement : nil)
      </body>
      </html>
      """
    var fields: [(name: String, value: String)] = [
      ("Content-Type", "text/html; charset=utf-8"),
      ("Content-Security-Policy", policy(callback: callback)),
    ]
    fields += secureFields
    if !hasOpener { fields.append(("Cross-Origin-Opener-Policy", "same-origin")) }
    return PageAnswer(status: status, fields: fields, body: Array(page.text.utf8))
  }

  /// The header fields of every page and redirect.
  ///
  /// NB: the referrer policy must not be `no-referrer`. With that policy, browsers send
  /// `Origin: null` with every form. A sandboxed page of another site sends the same header field
  /// (Fetch, "append a request Origin header").
  static let secureFields: [(name: String, value: String)] = [
    ("Cache-Control", "no-store"), ("Referrer-Policy", "same-origin"),
    ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
  ]

  /// Creates an answer that redirects the browser to another page of the server, or to a URL of an
  /// app or an identity provider.
  ///
  /// NB: the status 303 makes the browser send a GET request.
  static func redirect(to location: String) -> PageAnswer {
    PageAnswer(
      status: 303,
      fields: [
        (name: "Location", value: location),
        (name: "Content-Security-Policy", value: emptyPolicy),
      ] + secureFields)
  }

  /// Creates an answer that is a script or a style sheet.
  ///
  /// - Parameter type: the media type without parameters.
  static func file(_ contents: String, type: String) -> PageAnswer {
    PageAnswer(
      fields: [
        ("Content-Type", type + "; charset=utf-8"), ("Cache-Control", "max-age=3600"),
        ("Content-Security-Policy", emptyPolicy), ("X-Content-Type-Options", "nosniff"),
      ], body: Array(contents.utf8))
  }

  /// The policy of answers that are no pages. If a browser nevertheless shows such an answer as a
  /// page, it can load nothing, and no frame can show it (OWASP ASVS 3.4.6).
  static let emptyPolicy = "default-src 'none'; frame-ancestors 'none'"

  private static func policy(callback: String?) -> String {
    let target = callback.flatMap(source).map { " " + $0 } ?? ""
    return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
      + "form-action 'self'\(target); frame-ancestors 'none'; base-uri 'none'"
  }

  /// Converts a URL to a source of a content security policy: scheme and host of a web URL, or only
  /// the scheme of an app's URL.
  private static func source(_ url: String) -> String? {
    guard let colon = url.firstIndex(of: ":") else { return nil }
    let scheme = url[..<colon].lowercased()
    guard scheme == "https" || scheme == "http" else { return scheme + ":" }
    let host = url[colon...].dropFirst(3).prefix { !"/?#;, ".contains($0) }
    return "\(scheme)://\(host)"
  }

  static let style = """
    :root { color-scheme: light dark; --ink: #1c1c1e; --paper: #fff; --line: #8e8e93;
      --accent: #0b57d0; --on-accent: #fff; --alarm: #b3261e; }
    @media (prefers-color-scheme: dark) {
      :root { --ink: #f2f2f7; --paper: #1c1c1e; --line: #8e8e93; --accent: #8ab4f8;
        --on-accent: #10131a; --alarm: #f2b8b5; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink);
      font: 1rem/1.4 system-ui, sans-serif; }
    main { max-width: 26rem; margin: 0 auto; padding: 1.25rem 1rem; }
    h1 { font-size: 1.35rem; margin: 0 0 .5rem; } h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
    p { margin: .5rem 0; overflow-wrap: anywhere; }
    label { display: block; margin-top: .6rem; font-weight: 600; }
    label.check { font-weight: 400; } label.check input { margin: 0 .5rem 0 0; }
    input[type=email], input[type=password], input[type=text] { width: 100%; font: inherit;
      padding: .5rem; border: 1px solid var(--line); border-radius: .4rem;
      background: var(--paper); color: var(--ink); }
    code { font: 1rem/1.6 ui-monospace, monospace; overflow-wrap: anywhere; }
    button { font: inherit; font-weight: 600; padding: .55rem 1rem; margin-top: .8rem;
      min-height: 2.75rem; border: 1px solid var(--accent); border-radius: .4rem;
      background: var(--accent); color: var(--on-accent); cursor: pointer; }
    button.quiet { background: var(--paper); color: var(--accent); }
    img.picture { max-width: 8rem; max-height: 8rem; border-radius: .4rem; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    .alarm { border-left: .3rem solid var(--alarm); padding: .3rem .7rem; }
    ul { list-style: none; padding: 0; margin: 0; }
    li { border-top: 1px solid var(--line); padding: .6rem 0; } li button { margin-top: .4rem; }
    .row { display: flex; gap: .75rem; flex-wrap: wrap; } .small { font-size: .9rem; }
    """

  /// Keeps the fragment of a share's URL, which browsers never send to the server. The fragment
  /// stays in the URL while the user signs in and accepts, and the link to the app contains it.
  static let shareScript = """
    "use strict";
    if (location.hash) for (const form of document.forms) form.action += location.hash;
    const open = document.getElementById("open");
    if (open) {
      const url = location.origin + "/share/" + open.dataset.share + location.hash;
      open.href = open.dataset.app + encodeURIComponent(url);
    }
    """

  /// Sends the result to the page that opened the window.
  static let script = """
    "use strict";
    const result = document.getElementById("result").dataset;
    if (window.opener) {
      const message = result.error
        ? { errorMessage: result.error }
        : { ckWebAuthToken: result.token, ckSession: result.token };
      window.opener.postMessage(message, result.origin);
      window.close();
    }
    """
}
