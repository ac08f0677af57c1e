import StratusWire

/// A request for one of the server's own pages.
public struct PageRequest: Sendable {
  /// Whether the request sends a form, and may therefore change something.
  public var isPost: Bool
  /// The path of the URL, for example `/auth/sign-in`.
  public var path: String
  public var query: [String: String]
  /// The fields of the form. They are empty unless ``isPost`` is true.
  public var form: [String: String]
  public var cookies: [String: String]
  /// The origin of the page that sent the form, or nil if the browser does not send it.
  public var origin: String?
  /// The relation between the page that sent the form and this server (`Sec-Fetch-Site`), or nil if
  /// the browser does not send it.
  public var fetchSite: String?
  /// The `User-Agent` of the browser, or nil if there is none.
  public var userAgent: String?
  /// The address of the client, or nil if it is unknown.
  public var clientAddress: String?
  /// The server's URL as the browser uses it, without a path.
  public var serverURL: String

  /// The form of the client's address under which the limits count its requests: see
  /// ``Caller/subscriber``.
  public var subscriber: String? { clientAddress.map(NetworkAddress.subscriber) }

  public init(
    isPost: Bool = false, path: String, query: [String: String] = [:],
    form: [String: String] = [:], cookies: [String: String] = [:], origin: String? = nil,
    fetchSite: String? = nil, userAgent: String? = nil, clientAddress: String? = nil,
    serverURL: String
  ) {
    self.isPost = isPost
    self.path = path
    self.query = query
    self.form = form
    self.cookies = cookies
    self.origin = origin
    self.fetchSite = fetchSite
    self.userAgent = userAgent
    self.clientAddress = clientAddress
    self.serverURL = serverURL
  }
}

/// The answer to a ``PageRequest``.
public struct PageAnswer: Sendable {
  /// The HTTP status.
  public var status: Int
  /// The names and values of the header fields, in order.
  public var fields: [(name: String, value: String)]
  public var body: [UInt8]
  /// The bytes that follow the head, piece by piece as the browser reads them, in place of
  /// ``body``. nil means that ``body`` follows the head.
  public var stream: AsyncStream<[UInt8]>?

  public init(status: Int = 200, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}

/// The server's own pages, which are for signing in and for managing the account.
public protocol WebPages: Sendable {
  /// Answers a request. For an unknown path, the answer is a page with status 404.
  func answer(_ request: PageRequest) async -> PageAnswer

  /// Returns the path and query of the sign-in page for an app.
  ///
  /// - Parameters:
  ///   - apiToken: the text of the app's token.
  ///   - origin: the origin of the app's web page, or nil if the app is not a web page.
  /// - Returns: nil if the token is not valid for the store.
  func signInPath(apiToken: String, store: StoreAddress, origin: String?) async -> String?
}
