import HTTPTypes
import StratusDomain
import StratusWire

/// The server's own pages.
///
/// NB: cookies are read only for these pages. The answers of the pages have no CORS fields, so no
/// other site can read the answers.
extension Router {
  /// Answers a request for a page.
  ///
  /// - Throws: `BAD_REQUEST` for a method except GET, HEAD and POST, and for a body or a query that
  ///   is too long or is not a form; `THROTTLED` for too many forms, pages of shares and sign-ins
  ///   at identity providers from one address.
  func page(
    _ path: String, _ query: Substring?, _ request: HTTPRequest, _ body: any SentBody,
    _ exchange: Exchange, by pages: any WebPages
  ) async throws(ServerError) -> (HTTPResponse, AnswerBody) {
    let isPost: Bool
    switch request.method {
    case .get, .head: isPost = false
    case .post: isPost = true
    default: throw .badRequest(Reason.methodNotAllowed)
    }
    // NB: the page of a share reads the stores of containers, and the sign-in at an identity
    // provider sends requests. These pages therefore count like forms.
    let isCostly =
      path.hasPrefix("/share/") || path == "/auth/provider" || path.hasPrefix("/auth/callback/")
    if isPost || isCostly {
      try pace.admitRequest(
        of: CallerPace.Subject(
          userRecordName: nil, apiToken: nil, clientAddress: exchange.caller.subscriber))
    }
    let fields = request.headerFields
    let form = isPost ? try await Self.form(body, type: fields[.contentType]) : [:]
    guard let query = FormText.fields((query ?? "").utf8) else {
      throw .badRequest(Reason.formUnreadable)
    }
    let answer = await pages.answer(
      PageRequest(
        isPost: isPost, path: path, query: query, form: form,
        cookies: CookieText.cookies(Self.cookieField(of: fields)), origin: fields[.origin],
        fetchSite: fields[.fetchSite], userAgent: fields[.userAgent],
        clientAddress: exchange.caller.clientAddress, serverURL: exchange.serverURL))
    var head = HTTPResponse(status: HTTPResponse.Status(code: answer.status))
    head.headerFields.append(HTTPField(name: .requestUUID, value: exchange.uuid))
    head.headerFields[.strictTransportSecurity] = strictTransport(exchange)
    for field in answer.fields {
      guard let name = HTTPField.Name(field.name) else { continue }
      head.headerFields.append(HTTPField(name: name, value: field.value))
    }
    if let stream = answer.stream, isPost { return (head, .events(stream)) }
    let isHead = request.method == .head
    return (head, isHead ? .absent(size: Int64(answer.body.count)) : .bytes(answer.body))
  }

  /// The value of `Strict-Transport-Security`, or nil if the answer does not have this field.
  /// Answers for `localhost` never have the field, because other servers on the client's machine
  /// may have no TLS.
  func strictTransport(_ exchange: Exchange) -> String? {
    guard requiresEncryption else { return nil }
    let host = exchange.serverURL.drop { $0 != "/" }.dropFirst(2).prefix { $0 != ":" }.lowercased()
    let isLocal = host == "localhost" || host.hasSuffix(".localhost")
    return isLocal ? nil : "max-age=31536000"
  }

  /// The URL where the user of an app signs in. nil if the server has no pages, or if the request
  /// has no valid API token.
  func signInURL(for request: HTTPRequest, _ exchange: Exchange) async -> String? {
    guard let pages else { return nil }
    let target = RequestTarget(request.path ?? "/")
    guard case .database(let address, _)? = RequestPath(target.path),
      let token = RequestQuery(target.query).credentials.apiToken
    else { return nil }
    // NB: a browser sends no `Origin` field with a GET request from a page of the same origin.
    let isOwn = request.headerFields[.fetchSite] == "same-origin"
    let origin = request.headerFields[.origin] ?? (isOwn ? exchange.serverURL : nil)
    let path = await pages.signInPath(apiToken: token, store: address.store, origin: origin)
    return path.map { exchange.serverURL + $0 }
  }

  /// The policy of answers that are no pages. If a browser shows such an answer, it can load
  /// nothing, and no frame can show it (OWASP ASVS 3.4.6).
  static let emptyPolicy = "default-src 'none'; frame-ancestors 'none'"

  private static func form(
    _ body: any SentBody, type: String?
  ) async throws(ServerError) -> [String: String] {
    let plain = type?.prefix { $0 != ";" }.lowercased() ?? ""
    guard plain.drop(while: { $0 == " " }).hasPrefix("application/x-www-form-urlencoded") else {
      throw .badRequest(Reason.formUnreadable)
    }
    let bytes = try await body.bytes()
    guard bytes.count <= Limits.formBytesMax else { throw .badRequest(Reason.requestTooLarge) }
    guard let form = FormText.fields(bytes) else { throw .badRequest(Reason.formUnreadable) }
    return form
  }

  /// Returns all cookies of a request. A client may send several `Cookie` fields.
  static func cookieField(of fields: HTTPFields) -> String? {
    let all = fields[values: .cookie]
    return all.isEmpty ? nil : all.joined(separator: "; ")
  }
}

extension HTTPField.Name {
  static let fetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .server
}
