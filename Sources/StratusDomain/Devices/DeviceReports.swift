public import StratusWire

/// Reports the state of a user's devices: their last activities, and what is wrong with them.
public struct DeviceReports: Sendable {
  private let stores: any StoreCatalog
  private let timelines: DeviceTimelines
  private let ambient: Ambient
  private let notePending: @Sendable () -> Void

  /// - Parameter notePending: adds the requests that were answered before to the timelines.
  public init(
    stores: any StoreCatalog, timelines: DeviceTimelines, ambient: Ambient,
    notePending: @escaping @Sendable () -> Void
  ) {
    self.stores = stores
    self.timelines = timelines
    self.ambient = ambient
    self.notePending = notePending
  }

  /// Returns the devices of a user, beginning with the device that was seen last. Also returns the
  /// number of bytes in files that the user has uploaded and that no record holds.
  ///
  /// - Parameter user: the user record name.
  public func devices(
    of user: String, at address: StoreAddress
  ) async throws(ServerError) -> (devices: [DeviceReport], unsavedBytes: Int64) {
    notePending()
    let lately = timelines.devices(of: user, at: address)
    let now = ambient.now()
    let store = try await stores.storeToRead(at: address).store
    return try await store.read {
      (store) throws(ServerError) -> (devices: [DeviceReport], unsavedBytes: Int64) in
      let registered = try store.devices(of: user)
      let names = Set(lately.keys).union(registered.map(\.deviceID))
      let queue = try store.notifications(
        of: user, after: 0, limit: Limits.queuedNotificationsMax,
        sizeBytesMax: Limits.responseSizeBytesMax)
      var reports: [DeviceReport] = []
      for name in names {
        let push = registered.first { $0.deviceID == name }.map { Self.push($0, queue) }
        var report = try Self.report(
          name, lately[name] ?? DeviceTimelines.Device(), push, of: user, in: store)
        report.findings = DeviceFindings(report: report, now: now).all
        reports.append(report)
      }
      reports.sort { ($0.lastSeen ?? 0, $0.deviceID) > ($1.lastSeen ?? 0, $1.deviceID) }
      let unsavedBytes = try store.unheldBytes()[user] ?? 0
      return (reports, unsavedBytes)
    }
  }

  private static func report(
    _ name: String, _ device: DeviceTimelines.Device, _ push: DeviceReport.Push?,
    of user: String, in store: any StoreReading
  ) throws(ServerError) -> DeviceReport {
    var zones: [DeviceReport.Zone] = []
    for (zoneID, (position, time)) in device.positions {
      let owner = zoneID.ownerRecordName.flatMap { $0 == user ? nil : $0 }
      let lag = owner == nil ? try Self.lag(of: name, behind: position, of: user, in: store) : nil
      zones.append(
        DeviceReport.Zone(
          zoneName: zoneID.zoneName, ownerRecordName: owner, tokenAt: time,
          moreComing: position.moreComing, lag: lag))
    }
    zones.sort { ($0.tokenAt, $0.zoneName) > ($1.tokenAt, $1.zoneName) }
    return DeviceReport(
      deviceID: name, app: device.app, lastSeen: device.lastSeen == 0 ? nil : device.lastSeen,
      session: device.session, lastSave: device.lastSave, uploadSince: device.uploadSince,
      push: push, zones: zones, requests: device.requests.reversed())
  }

  /// Returns the number of records that other devices have changed since a position, at most
  /// ``lagMax``. Returns nil if the zone does not exist.
  ///
  /// NB: a device does not fetch its own saves, so they do not count.
  private static func lag(
    of deviceID: String, behind position: SyncNotes.Position, of user: String,
    in store: any StoreReading
  ) throws(ServerError) -> Int64? {
    let name = position.zoneID.zoneName
    guard let zone = try store.zone(named: name, in: .private(owner: user)) else { return nil }
    let after = zone.incarnation == position.incarnation ? position.change : 0
    if after >= zone.change { return 0 }
    let changed = try store.recordChanges(
      in: zone, range: ChangeRange(after: after, through: zone.change), newestFirst: false,
      limit: lagMax, sizeBytesMax: Limits.responseSizeBytesMax)
    return Int64(changed.filter { $0.modified.deviceID != deviceID }.count)
  }

  /// The maximum lag that is counted. Choice: a person only needs to know whether it is large.
  static let lagMax = 1_000

  /// - Parameter queue: the user's notifications, the oldest first.
  private static func push(
    _ device: StoredDevice, _ queue: [QueuedNotification]
  ) -> DeviceReport.Push {
    let own = queue.filter { $0.originDeviceID != device.deviceID }
    let waiting = own.filter { $0.number > device.acknowledged }
    let channel =
      switch device.channel {
      case .stream: "stream"
      case .courier: "courier"
      case .apns: "apns"
      }
    return DeviceReport.Push(
      channel: channel, waiting: Int64(waiting.count), waitingSince: waiting.first?.createdAt,
      lastPush: own.last(where: { $0.number <= device.acknowledged })?.createdAt,
      seen: device.seen)
  }
}

/// Decides what is wrong with a device. The decision uses only the report and the time.
struct DeviceFindings {
  let report: DeviceReport
  let now: Int64

  /// The time after which a device that waits for something counts as stuck. Choice: longer than
  /// the retries of a client, and shorter than the patience of a person.
  static let patienceMilliseconds: Int64 = 300_000
  /// If this number of the newest requests have all failed, the report says so.
  static let failuresMin = 3

  var all: [String] {
    var findings: [String] = []
    let last = report.requests.prefix(Self.failuresMin)
    if last.count == Self.failuresMin, let code = last.first?.outcome,
      last.allSatisfy({ $0.outcome != RequestEntry.okay })
    {
      findings.append(
        "The last \(Self.failuresMin) requests failed, the newest with \(code). \(advice(code))")
    }
    for zone in report.zones where zone.moreComing && isOld(zone.tokenAt) {
      findings.append(
        "The device stopped in the middle of fetching the zone '\(zone.zoneName)': the server said "
          + "that more changes follow, and the device has not asked for them.")
    }
    for zone in report.zones where !zone.moreComing && isOld(zone.tokenAt) {
      guard let lag = zone.lag, lag > 0 else { continue }
      findings.append(
        "The device has not fetched \(lag) records of the zone '\(zone.zoneName)' that other "
          + "devices have changed.")
    }
    if let since = report.uploadSince, isOld(since) {
      findings.append(
        "The device asked to upload files, and has saved no record since then. The upload is "
          + "stuck.")
    }
    if let push = report.push {
      if push.waiting > 0, push.waitingSince.map(isOld) == true {
        findings.append(
          "\(push.waiting) notifications wait for the device on the channel '\(push.channel)'. The "
            + "device does not listen, or its system delays pushes.")
      }
    } else {
      findings.append(
        "The device has not registered for notifications, so it learns of changes only when the "
          + "app fetches them.")
    }
    return findings
  }

  private func isOld(_ time: Int64) -> Bool { now - time >= Self.patienceMilliseconds }

  private func advice(_ code: String) -> String {
    switch ErrorCode(rawValue: code) {
    case .authenticationRequired, .authenticationFailed: "The user must sign in again in the app."
    case .quotaExceeded: "The user's quota is full."
    case .throttled, .tryAgainLater: "The server asks the device to wait."
    case .accessDenied: "The user lacks a permission."
    default: "The request log has the requests."
    }
  }
}
