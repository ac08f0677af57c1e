import StratusWire

/// A request that the server sends to another server.
public struct OutgoingRequest: Sendable, Hashable {
  public var url: String
  /// The fields of a form that is sent by POST, or nil for a GET request.
  public var form: [String: String]?
  /// The user and the password of the header field `Authorization`, or nil.
  public var credentials: Credentials?

  public struct Credentials: Sendable, Hashable {
    public var user: String
    public var password: String

    public init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }

  public init(url: String, form: [String: String]? = nil, credentials: Credentials? = nil) {
    self.url = url
    self.form = form
    self.credentials = credentials
  }

  /// The body of the request: the fields in `application/x-www-form-urlencoded`. Everything except
  /// ASCII letters and digits is percent-encoded. A GET request has no body (nil).
  public var formText: String? {
    form.map { form in
      form.sorted { $0.key < $1.key }.map { "\(Self.encode($0.key))=\(Self.encode($0.value))" }
        .joined(separator: "&")
    }
  }

  private static func encode(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}

/// Sends requests to identity providers.
public protocol OutgoingRequests: Sendable {
  /// Sends a request. Redirects are not followed. The answer's size and duration are limited.
  ///
  /// - Returns: the status and the body of the answer.
  /// - Throws: `TRY_AGAIN_LATER` if there is no answer, or none within the limits.
  func send(
    _ request: OutgoingRequest
  ) async throws(ServerError) -> (status: Int, body: [UInt8])
}
