import StratusWire

/// Answers `notifications/changes`.
///
/// Choice: the answer does not mention notifications that were removed from the queue because they
/// were too old, or because the queue was too long. A notification only says that there is
/// something to fetch.
struct FetchNotificationsHandler: EndpointHandler {
  typealias Endpoint = FetchNotifications

  let devices: DeviceAccess

  func answer(
    _ request: FetchNotifications.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> FetchNotifications.Response {
    let (store, user) = try await devices.open(address, for: caller, to: .read)
    let token = try request.serverChangeToken.map { (text) throws(ServerError) in
      try ChangeToken(text: text)
    }
    if let token, token.subject != .notifications {
      throw .badRequest(Reason.syncTokenInvalid)
    }
    let most = Limits.notificationsPerResponseMax
    let asked = request.resultsLimit ?? 0
    let limit = asked > 0 ? min(asked, most) : most
    return try await store.read { (store) throws(ServerError) in
      let history = NotificationHistory(store: store, user: user)
      return try history.page(since: token, limit: limit)
    }
  }
}

/// The history of a user's notifications: the new ones, and the ones that were marked as read.
struct NotificationHistory {
  let store: any StoreReading
  let user: String

  func page(since token: ChangeToken?, limit: Int) throws(ServerError)
    -> FetchNotifications.Response
  {
    let epoch = try store.epoch(of: .private(user: user))
    let newest = try store.latestNotification(of: user)
    let incarnation = DatabaseView.private(user: user).fingerprint
    try token?.check(epoch: epoch, incarnation: incarnation, newest: newest)
    let position = token?.change ?? 0
    // Both lists are numbered by the same counter. A page ends before the first item that does not
    // fit.
    let came = try store.notifications(
      of: user, after: position, limit: limit + 1, sizeBytesMax: Limits.responseSizeBytesMax)
    let read = try store.readMarks(of: user, after: position, limit: limit + 1)
    let numbers = (came.map(\.number) + read.map(\.number)).sorted()
    var end = numbers.count > limit ? numbers[limit - 1] : newest
    let isCut = came.reduce(0) { $0 + $1.payloadText.count } >= Limits.responseSizeBytesMax
    if isCut, let last = came.last { end = min(end, last.number) }
    var notifications: [NumberedNotification] = []
    for one in came where one.number <= end {
      notifications.append(
        NumberedNotification(
          number: one.number, payload: try one.payload(), isRead: one.isRead))
    }
    var readIDs: [String] = []
    for mark in read where mark.number <= end && readIDs.last != mark.notificationID {
      readIDs.append(mark.notificationID)
    }
    let next = ChangeToken(
      subject: .notifications, epoch: epoch, incarnation: incarnation, change: end)
    return FetchNotifications.Response(
      notifications: notifications, readIDs: readIDs, serverChangeToken: next.text,
      moreComing: numbers.count > limit || isCut)
  }
}
