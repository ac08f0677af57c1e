import HTTPTypes

/// The CORS header fields. They tell a browser which web pages may send requests and read the
/// answers.
enum CORSHeaders {
  /// Whether a list of allowed origins contains an origin. The list is in lower case, and the case
  /// of the origin's letters is ignored.
  static func allows(_ origin: String, _ allowed: Set<String>) -> Bool {
    allowed.contains(origin) || allowed.contains(origin.lowercased())
  }

  /// - Parameter allowed: the origins that the API token allows, or nil if it allows all origins.
  ///
  /// Choice: credentials are allowed only for listed origins. Without a list, any page may send
  /// requests, but a browser hides the answer from the page if the request contains cookies.
  /// CloudKit JS sends no cookies, because its tokens are in the URL.
  static func add(
    to fields: inout HTTPFields, for request: HTTPFields, allowed: Set<String>?
  ) {
    guard let origin = request[.origin] else { return }
    fields[.vary] = "Origin"
    if let allowed {
      guard allows(origin, allowed) else { return }
      fields[.accessControlAllowCredentials] = "true"
    }
    fields[.accessControlAllowOrigin] = origin
    fields[.accessControlExposeHeaders] = exposed
  }

  /// Adds the header fields for the answer to a preflight request.
  static func addPreflight(to fields: inout HTTPFields, for request: HTTPFields) {
    fields[.allow] = methods
    if fields[.accessControlAllowOrigin] == nil { return }
    fields[.accessControlAllowMethods] = "GET, POST, OPTIONS"
    fields[.accessControlAllowHeaders] =
      request[.accessControlRequestHeaders] ?? "content-type"
    fields[.accessControlMaxAge] = "86400"
  }

  /// Adds the fields for asset URLs. Any page may upload and download files, because these requests
  /// need no credentials.
  static func addForAssets(to fields: inout HTTPFields, for request: HTTPRequest) {
    fields[.accessControlAllowOrigin] = "*"
    fields[.accessControlExposeHeaders] = "Accept-Ranges,Content-Length,Content-Range,ETag"
    guard request.method == .options else { return }
    fields[.allow] = assetMethods
    fields[.accessControlAllowMethods] = assetMethods
    fields[.accessControlAllowHeaders] =
      request.headerFields[.accessControlRequestHeaders] ?? "content-type"
    fields[.accessControlMaxAge] = "86400"
  }

  /// Adds the fields for a long poll. Any page may poll, because the only credential is in the URL.
  static func addForCourier(to fields: inout HTTPFields) {
    fields[.accessControlAllowOrigin] = "*"
  }

  static let methods = "GET, HEAD, POST, OPTIONS"
  static let assetMethods = "GET, HEAD, POST, PUT, OPTIONS"

  private static let exposed =
    "X-Apple-Request-UUID,X-Apple-CloudKit-Web-Auth-Token,X-Responding-Instance,Via,"
    + "Retry-After,X-Stratus-Limit"
}

extension HTTPField.Name {
  static let requestUUID = known("X-Apple-Request-UUID")
  static let cloudKitVersion = known("X-Apple-CloudKit-Version")
  static let webAuthToken = known("X-Apple-CloudKit-Web-Auth-Token")
  static let requestKeyID = known("X-Apple-CloudKit-Request-KeyID")
  static let respondingInstance = known("X-Responding-Instance")
  static let limitRule = known("X-Stratus-Limit")

  /// NB: the fallback is never used, because all names in this file are legal tokens.
  private static func known(_ name: String) -> HTTPField.Name {
    HTTPField.Name(name) ?? .server
  }
}
