import HTTPTypes

/// Fields that let web pages call, and read what they need (web-auth §6).
enum CORSHeaders {
  /// Whether a list of allowed origins has one; hosts and schemes are compared without case.
  static func allows(_ origin: String, _ allowed: Set<String>) -> Bool {
    allowed.contains(origin) || allowed.contains(origin.lowercased())
  }

  /// - Parameter allowed: the origins that the API token allows; nil: no restriction.
  ///
  /// Choice: credentials go with allowed origins only. Without a list, any page may call, but no
  /// browser adds cookies to it or lets the page read an answer to a request with cookies. CloudKit
  /// JS sends none: its tokens stand in the URL.
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

  /// The answer to a preflight.
  static func addPreflight(to fields: inout HTTPFields, for request: HTTPFields) {
    fields[.allow] = methods
    if fields[.accessControlAllowOrigin] == nil { return }
    fields[.accessControlAllowMethods] = "GET, POST, OPTIONS"
    fields[.accessControlAllowHeaders] =
      request[.accessControlRequestHeaders] ?? "content-type"
    fields[.accessControlMaxAge] = "86400"
  }

  /// Any page may send and fetch files, as it needs no credentials for that (web-services §4.6).
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

  /// Any page may poll, as the URL says all that is asked (web-services §4.17).
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

  /// NB: the fallback is never reached: the names above are legal tokens.
  private static func known(_ name: String) -> HTTPField.Name {
    HTTPField.Name(name) ?? .server
  }
}
