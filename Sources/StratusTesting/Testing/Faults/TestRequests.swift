/// Which of a device's requests a fault concerns.
///
/// ```swift
/// phone.fail(next: .modifyRecords, with: .zoneBusy)
/// phone.fail(next: .modifyRecords.of("milk"), with: .serverRejectedRequest)
/// phone.fail(next: .recordZoneChanges.in("Notes"), with: .changeTokenExpired)
/// ```
public struct TestRequests: Sendable, Hashable {
  /// How the paths of these requests go on behind the database; nil: all.
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
  /// What has changed in zones.
  public static let recordZoneChanges = TestRequests("changes/zone", "records/changes")
  /// Which zones have changed.
  public static let databaseChanges = TestRequests("changes/database", "zones/changes")
  /// Saving and deleting zones.
  public static let modifyZones = TestRequests("zones/modify")
  /// Fetching zones.
  public static let fetchZones = TestRequests("zones/lookup", "zones/list")
  /// Saving and deleting subscriptions.
  public static let modifySubscriptions = TestRequests("subscriptions/modify")
  /// Fetching subscriptions.
  public static let fetchSubscriptions = TestRequests("subscriptions/lookup", "subscriptions/list")
  /// Who the user is: the account's status, the user record's ID.
  public static let account = TestRequests("users/caller", "users/current")
  /// The bytes of assets, on their way to the server.
  public static let assetUploads = TestRequests(Self.upload)
  /// The bytes of assets, on their way from the server.
  public static let assetDownloads = TestRequests(Self.download)
  /// Opening the stream that notifications come by.
  public static let notifications = TestRequests("notifications/stream")

  static let upload = "assets/upload/"
  static let download = "assets/download/"

  /// Only those that save, delete or fetch a record of this name. An error then befalls this record
  /// alone, and the others of the request as far as it is atomic.
  public func of(_ recordName: String) -> TestRequests {
    var requests = self
    requests.recordName = recordName
    return requests
  }

  /// Only those about a zone of this name.
  public func `in`(_ zoneName: String) -> TestRequests {
    var requests = self
    requests.zoneName = zoneName
    return requests
  }
}

/// What the network does to a request.
public struct TestDisturbance: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case losesRequest, losesResponse, isLate(Duration), answers(status: Int, retryAfter: Int?)
  }

  let kind: Kind

  /// The request does not reach the server: the connection cannot be made.
  public static let losesRequest = TestDisturbance(kind: .losesRequest)
  /// The server does what it is asked, but its answer does not arrive.
  public static let losesResponse = TestDisturbance(kind: .losesResponse)

  /// The request arrives so much later. What is longer than the request's time-out ends in it;
  /// what is longer than ``TestClock/jumpMax`` waits until the test advances the clock.
  public static func isLate(by duration: Duration) -> TestDisturbance {
    TestDisturbance(kind: .isLate(duration))
  }

  /// Something on the way answers in the server's place, such as a proxy with 502.
  public static func answers(
    status: Int, retryAfterSeconds: Int? = nil
  ) -> TestDisturbance {
    TestDisturbance(kind: .answers(status: status, retryAfter: retryAfterSeconds))
  }
}
