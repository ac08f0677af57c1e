import StratusDomain
import StratusWire

/// Checks of devices, and of notifications that are marked as read.
extension StoreConformance {
  static let collectionChecks: [Check] = [
    Check(
      "a read mark gets its number from the counter of the user's notifications",
      marksAreNumbered),
    Check("a user can mark only their own notifications as read, each once", marksAreOnes),
    Check("old notifications and unseen devices are removed in limited steps", oldGo),
  ]

  static let deviceChecks: [Check] = [
    Check("a device is stored with its delivery channel", devicesAreKept),
    Check(
      "a device that registers again keeps its position in the queue",
      registeringAgainKeepsThePosition
    ),
    Check("a device has the session of its last registration", sessionsAreKept),
    Check("a push token belongs to one device", tokensLeadToOne),
    Check(
      "a user has a limited number of devices, and those unseen for longest are removed",
      devicesAreBounded),
    Check("the acknowledged number only grows, up to the newest notification", acknowledgedGrows),
    Check("a device's last-seen time is updated at most once an hour", touchesAreRare),
    Check("a device's token is removed unless it was replaced; the device is kept", removalIsExact),
  ]

  /// Marking a notification ID as read marks all notifications with this ID.
  static func marksAreNumbered(_ store: any Store) async throws {
    let (found, marks, later, read) = try await store.write { (body) throws(ServerError) in
      try body.enqueue(["1", "2", "2", "3"].map { Sample.notification($0) })
      let found = try body.markRead(ids: ["3", "2", "x"], of: "_ann")
      let marks = try body.readMarks(of: "_ann", after: 0, limit: 10)
      let later = try body.readMarks(of: "_ann", after: 5, limit: 1)
      return (found, marks, later, try body.queue().map(\.isRead))
    }
    try expect(found, ["3", "2"])
    try expect(
      marks,
      [
        ReadMark(number: 5, notificationID: "3"), ReadMark(number: 6, notificationID: "2"),
        ReadMark(number: 7, notificationID: "2"),
      ])
    try expect(later, [ReadMark(number: 6, notificationID: "2")])
    try expect(read, [false, true, true, true])
  }

  /// Marking a notification again changes nothing, but the result still contains the notification's
  /// ID.
  static func marksAreOnes(_ store: any Store) async throws {
    let (first, again, other, newest) = try await store.write { (body) throws(ServerError) in
      try body.enqueue([Sample.notification("1")])
      let first = try body.markRead(ids: ["1", "1"], of: "_ann")
      let again = try body.markRead(ids: ["1"], of: "_ann")
      let other = try body.markRead(ids: ["1"], of: "_bob")
      return (first, again, other, try body.latestNotification(of: "_ann"))
    }
    try expect(first, ["1"])
    try expect(again, ["1"])
    try expect(other, [])
    try expect(newest, 2)
  }

  /// Notifications and devices whose time equals the given time are kept. Devices with an APNs
  /// token are also kept, because APNs itself reports when a device is gone.
  static func oldGo(_ store: any Store) async throws {
    let (steps, queue, devices) = try await store.write { (body) throws(ServerError) in
      try body.enqueue((1...5).map { Sample.notification("\($0)", at: $0) })
      for seen in 1...3 as ClosedRange<Int64> {
        try body.register(Sample.device("d\(seen)", seen: seen))
      }
      try body.register(Sample.device("phone", .apns(token: "t", .production), seen: 1))
      var steps = 1
      while try body.pruneNotifications(madeBefore: 4, devicesUnseenSince: 3, limit: 2) {
        steps += 1
      }
      return (steps, try body.queue().map(\.notificationID), try body.devices(of: "_ann"))
    }
    try expect(steps, 2)
    try expect(queue, ["4", "5"])
    try expect(devices.map(\.deviceID), ["d3", "phone"])
  }

  static func devicesAreKept(_ store: any Store) async throws {
    let sent = [
      Sample.device("a", has: 3, seen: 5), Sample.device("b", .courier(token: "t")),
      Sample.device("c", .apns(token: "t", .development)),
      Sample.device("d", .apns(token: "t", .production)),
    ]
    try await store.write { (body) throws(ServerError) in
      for device in sent.reversed() { try body.register(device) }
      try body.register(Sample.device("a", of: "_bob"))
    }
    let (all, one, none, byToken) = try await store.read { (body) throws(ServerError) in
      var byToken: [StoredDevice?] = []
      for device in sent { byToken.append(try body.device(reachedBy: device.channel)) }
      byToken.append(try body.device(reachedBy: .courier(token: "u")))
      return (
        try body.devices(of: "_ann"), try body.device(id: "a", of: "_ann"),
        try body.device(id: "e", of: "_ann"), byToken
      )
    }
    try expect(all, sent)
    try expect(one, sent[0])
    try expect(none, nil)
    try expect(byToken, [nil, sent[1], sent[2], sent[3], nil])
  }

  /// A device that registers again may change its delivery channel, but keeps its position in the
  /// notification queue.
  static func registeringAgainKeepsThePosition(_ store: any Store) async throws {
    let device = try await store.write { (body) throws(ServerError) in
      try body.register(Sample.device("a", has: 3, seen: 5))
      try body.register(Sample.device("a", .courier(token: "t"), has: 9, seen: 6))
      return try body.device(id: "a", of: "_ann")
    }
    try expect(device, Sample.device("a", .courier(token: "t"), has: 3, seen: 6))
  }

  /// If two users register the same token, the later registration removes the earlier device.
  static func tokensLeadToOne(_ store: any Store) async throws {
    let courier = DeviceChannel.courier(token: "t")
    let (found, ann, bob) = try await store.write { (body) throws(ServerError) in
      try body.register(Sample.device("a", courier))
      try body.register(Sample.device("b"))
      try body.register(Sample.device("a", of: "_bob", courier))
      return (
        try body.device(reachedBy: courier), try body.devices(of: "_ann"),
        try body.devices(of: "_bob")
      )
    }
    try expect(found?.user, "_bob")
    try expect(ann.map(\.deviceID), ["b"])
    try expect(bob.map(\.deviceID), ["a"])
  }

  /// The device that is being registered is always kept, even if its last-seen time is old.
  static func devicesAreBounded(_ store: any Store) async throws {
    let most = Limits.devicesPerUserMax
    let ids = try await store.write { (body) throws(ServerError) in
      for number in 0..<most {
        try body.register(Sample.device("d\(number)", seen: 100 - Int64(number)))
      }
      try body.register(Sample.device("new", seen: 0))
      return try body.devices(of: "_ann").map(\.deviceID)
    }
    try expect(ids.count, most)
    try expect(ids.contains("new"), true)
    try expect(ids.contains("d\(most - 1)"), false)
    try expect(ids.contains("d\(most - 2)"), true)
  }

  static func acknowledgedGrows(_ store: any Store) async throws {
    let acknowledged = try await store.write { (body) throws(ServerError) in
      try body.register(Sample.device("a"))
      try body.enqueue((0..<5).map { Sample.notification("\($0)") })
      var found: [Int64?] = []
      for number in [3, 2, 9] as [Int64] {
        try body.acknowledge(through: number, by: "a", of: "_ann")
        found.append(try body.device(id: "a", of: "_ann")?.acknowledged)
      }
      try body.acknowledge(through: 3, by: "b", of: "_ann")
      return found + [try body.device(id: "b", of: "_ann")?.acknowledged]
    }
    try expect(acknowledged, [3, 3, 5, nil])
  }

  static func touchesAreRare(_ store: any Store) async throws {
    let hour: Int64 = 3_600_000
    let seen = try await store.write { (body) throws(ServerError) in
      try body.register(Sample.device("a", seen: 5))
      var seen: [Int64?] = []
      for now in [5 + hour - 1, 5 + hour] {
        try body.touch(deviceID: "a", of: "_ann", now: now)
        seen.append(try body.device(id: "a", of: "_ann")?.seen)
      }
      return seen
    }
    try expect(seen, [5, 5 + hour])
  }

  static func sessionsAreKept(_ store: any Store) async throws {
    let found = try await store.write { (body) throws(ServerError) in
      var found: [String?] = []
      for session in ["s1", "s2", nil] {
        var device = Sample.device("a", .courier(token: "t"))
        device.sessionID = session
        try body.register(device)
        found.append(try body.device(reachedBy: .courier(token: "t"))?.sessionID)
      }
      return found
    }
    try expect(found, ["s1", "s2", nil])
  }

  static func removalIsExact(_ store: any Store) async throws {
    let (other, own) = try await store.write { (body) throws(ServerError) in
      try body.register(Sample.device("a", .apns(token: "new", .development), has: 3, seen: 5))
      try body.removeToken(of: Sample.device("a", .apns(token: "old", .development)), now: 7)
      let other = try body.device(id: "a", of: "_ann")
      try body.removeToken(
        of: Sample.device("a", .apns(token: "new", .development), has: 9, seen: 9), now: 8)
      return (other, try body.device(id: "a", of: "_ann"))
    }
    try expect(other?.channel, .apns(token: "new", .development))
    // The removal of the token updates the last-seen time. Otherwise the device could be removed
    // before it registers a new token.
    try expect(own, Sample.device("a", has: 3, seen: 8))
  }
}
