/// Selects the requests that a fault affects.
///
/// ```swift
/// phone.fail(next: .modifyRecords, with: .zoneBusy)
/// phone.fail(next: .modifyRecords.of("milk"), with: .serverRejectedRequest)
/// phone.fail(next: .recordZoneChanges.in("Notes"), with: .changeTokenExpired)
/// ```
public struct TestRequests: Sendable, Hashable {
  /// The endpoint paths of these requests, relative to the database. nil means all requests.
  var endpoints: Set<String>?
  var recordName: String?
  var zoneName: String?

  init(_ endpoints: String...) { self.endpoints = Set(endpoints) }

  private init() {}

  /// Every request.
  public static let any = TestRequests()
  /// Saving and deleting records.
  public static let modifyRecords = TestRequests("records/modify")
  /// Fetching records by their IDs.
  public static let fetchRecords = TestRequests("records/lookup")
  /// Queries.
  public static let queries = TestRequests("records/query")
  /// Fetching the changes of zones.
  public static let recordZoneChanges = TestRequests("changes/zone", "records/changes")
  /// Fetching the list of changed zones.
  public static let databaseChanges = TestRequests("changes/database", "zones/changes")
  /// Saving and deleting zones.
  public static let modifyZones = TestRequests("zones/modify")
  /// Fetching zones.
  public static let fetchZones = TestRequests("zones/lookup", "zones/list")
  /// Saving and deleting subscriptions.
  public static let modifySubscriptions = TestRequests("subscriptions/modify")
  /// Fetching subscriptions.
  public static let fetchSubscriptions = TestRequests("subscriptions/lookup", "subscriptions/list")
  /// Finding shares by their URLs.
  public static let fetchShares = TestRequests("records/resolve")
  /// Joining shares.
  public static let acceptShares = TestRequests("records/accept")
  /// Asking the owners of shares for access.
  public static let requestShareAccess = TestRequests("records/access")
  /// Fetching the account's status and the user record's ID.
  public static let account = TestRequests("users/caller", "users/current")
  /// Uploading the bytes of assets.
  public static let assetUploads = TestRequests(Self.upload)
  /// Downloading the bytes of assets.
  public static let assetDownloads = TestRequests(Self.download)
  /// Opening the notification stream.
  public static let notifications = TestRequests("notifications/stream")

  static let upload = "assets/upload/"
  static let download = "assets/download/"

  /// Limits the fault to requests that save, delete or fetch a record with this name. An error then
  /// affects only this record. If the request is atomic, the other records fail as well.
  public func of(_ recordName: String) -> TestRequests {
    var requests = self
    requests.recordName = recordName
    return requests
  }

  /// Limits the fault to requests about a zone with this name.
  public func `in`(_ zoneName: String) -> TestRequests {
    var requests = self
    requests.zoneName = zoneName
    return requests
  }
}

/// A disturbance of a request on the network.
public struct TestDisturbance: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case losesRequest, losesResponse, isLate(Duration), answers(status: Int, retryAfter: Int?)
  }

  let kind: Kind

  /// The connection fails, and the request does not reach the server.
  public static let losesRequest = TestDisturbance(kind: .losesRequest)
  /// The server processes the request, but its answer does not arrive.
  public static let losesResponse = TestDisturbance(kind: .losesResponse)

  /// The request arrives late. If the delay is longer than the request's time-out, the request
  /// times out. A delay longer than ``TestClock/jumpMax`` lasts until the test advances the clock.
  public static func isLate(by duration: Duration) -> TestDisturbance {
    TestDisturbance(kind: .isLate(duration))
  }

  /// A proxy answers instead of the server, for example with status 502.
  public static func answers(
    status: Int, retryAfterSeconds: Int? = nil
  ) -> TestDisturbance {
    TestDisturbance(kind: .answers(status: status, retryAfter: retryAfterSeconds))
  }
}
