import HTTPTypes
import StratusDomain
import StratusWire

/// The state of a request while the router answers it.
struct Exchange {
  let uuid: String
  var caller: Caller
  /// The store that the request concerns, or nil if there is none or it is not known yet.
  var store: StoreAddress?
  /// The database and the endpoint of the request, or nil if the request has none.
  var target: (address: DatabaseAddress, endpoint: String)?
  /// The path of the request, or nil if it is unknown.
  var path: RequestPath?
  /// The error that refused the request, or nil.
  var refusal: ServerError?
  /// The number of bytes of the body.
  var sentBytes = 0
  /// The app and its version as the request named them, or an empty text.
  var app = ""
  /// The server's URL as the client uses it.
  var serverURL = ""
  var status = HTTPResponse.Status.ok
  /// The header fields that only this answer has.
  var fields = HTTPFields()
  var isAsset = false
  var isCourier = false
  /// Whether the request was for one of the server's own pages, whose answers have no CORS fields.
  var isPage = false
  var nextWebAuthToken: String?
  var retryAfterSeconds: Int?
  /// The origins that the API token allows, or nil if all are allowed or the token is not known
  /// yet.
  var allowedOrigins: Set<String>?

  init(uuid: String) {
    self.uuid = uuid
    caller = Caller(
      principal: .anonymous, deviceID: Caller.namelessDeviceID, requestUUID: uuid)
  }

  /// Refuses a web page whose origin the API token does not allow.
  ///
  /// Choice: 403, `ACCESS_DENIED`. Apple's answer is not documented.
  func requireOrigin(of request: HTTPRequest) throws(ServerError) {
    guard let allowedOrigins, let origin = request.headerFields[.origin] else { return }
    guard CORSHeaders.allows(origin, allowedOrigins) else {
      throw ServerError(.accessDenied, Reason.originNotAllowed)
    }
  }
}
