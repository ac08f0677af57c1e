import StratusDomain
import StratusWire

/// Checks of notification queues.
extension StoreConformance {
  static let queueChecks: [Check] = [
    Check("a notification queue belongs to one user and is ordered", queuesAreKept),
    Check("a page of a queue has a limited number of rows and bytes", pagesAreBounded),
    Check("each user's notifications have their own numbers, which are never reused", numbersGrow),
    Check("a user's first notification always gets the same number", numbersAreOwn),
    Check("users with notifications after a number are found, each once", newsAreFound),
    Check("the badge counts up from the value that was set", badgeCounts),
    Check("a notification replaces earlier ones that have the same key", notificationsCoalesce),
    Check("a notification that was read is kept, and so is its read mark", readOnesStay),
    Check(
      "a device is not notified of its change if it knows all replaced notifications",
      ownChangesCoalesce),
    Check("a device that does not know another device's change is notified", othersAreHeard),
    Check("a queue has a limited length even if no device reads it", longQueuesAreBounded),
    Check(
      "notifications that all devices acknowledged are removed, except the newest",
      acknowledgedGo),
    Check("an undone write queues no notification", undoneIsNotQueued),
  ]

  /// The payload, origin, key and time of a notification are stored unchanged.
  static func queuesAreKept(_ store: any Store) async throws {
    let sent = [
      Sample.notification("n1", from: "a", key: "k", at: 7), Sample.notification("n2", at: 8),
    ]
    try await store.write { (body) throws(ServerError) in
      try body.enqueue([sent[0], Sample.notification("m", for: "_bob"), sent[1]])
    }
    let (ann, bob, after) = try await store.read { (body) throws(ServerError) in
      let ann = try body.queue()
      return (ann, try body.queue(of: "_bob"), try body.queue(after: ann[0].number))
    }
    try expect(ann.map(\.notificationID), ["n1", "n2"])
    try expect(ann.map(\.originDeviceID), ["a", nil])
    try expect(ann.map(\.coalescingKey), ["k", nil])
    try expect(ann.map(\.createdAt), [7, 8])
    try expect(ann.map(\.isRead), [false, false])
    try expect(ann.map(\.payloadText), sent.map(\.payload.jsonBytes))
    try expect(try ann[0].payload(), sent[0].payload)
    try expect(bob.map(\.notificationID), ["m"])
    try expect(after.map(\.notificationID), ["n2"])
  }

  /// A page has at least one notification, even if that notification exceeds the size of a page.
  static func pagesAreBounded(_ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      try body.enqueue((1...5).map { Sample.notification("n\($0)") })
    }
    let size = Sample.notification("n1").payload.jsonBytes.count
    let counts = try await store.read { (body) throws(ServerError) in
      var counts: [Int] = []
      for (limit, bytes) in [(3, Int.max), (0, .max), (9, 1), (9, size), (9, size + 1)] {
        counts.append(
          try body.notifications(
            of: "_ann", after: 0, limit: limit, sizeBytesMax: bytes
          ).count)
      }
      return counts
    }
    try expect(counts, [3, 0, 1, 1, 2])
  }

  /// Numbers continue to increase after all notifications are removed.
  static func numbersGrow(_ store: any Store) async throws {
    let numbers = try await store.write { (body) throws(ServerError) in
      var numbers = [try body.latestNotification(of: "_ann")]
      for user in ["_ann", "_bob", "_ann"] {
        try body.enqueue([Sample.notification("n", for: user, at: 1)])
        numbers.append(try body.latestNotification(of: user))
        guard let last = try body.queue(of: user).last else { throw .fault("an empty queue") }
        numbers.append(last.number)
      }
      _ = try body.pruneNotifications(madeBefore: 2, devicesUnseenSince: 0, limit: 9)
      try body.enqueue([Sample.notification("n")])
      return numbers + [try body.latestNotification(of: "_ann")]
    }
    try expect(numbers, [0, 1, 1, 1, 1, 2, 2, 3])
    let end = try await store.read { (body) throws(ServerError) in
      try body.queueEnd(of: "_bob")
    }
    try expect(end, QueueEnd(number: 1, storeNumber: 4))
  }

  /// A user without notifications, and a user with a badge only, begin at the same number.
  static func numbersAreOwn(_ store: any Store) async throws {
    let (cleo, dora, read) = try await store.write { (body) throws(ServerError) in
      try body.enqueue(["1", "2", "3"].map { Sample.notification($0) })
      try body.setBadge(5, of: "_dora")
      try body.enqueue(["_cleo", "_dora"].map { Sample.notification("n", for: $0) })
      _ = try body.markRead(ids: ["n"], of: "_dora")
      return (
        try body.queue(of: "_cleo"), try body.queue(of: "_dora"),
        try body.readMarks(of: "_dora", after: 0, limit: 9)
      )
    }
    try expect(cleo.map(\.number), [1])
    try expect(dora.map(\.number), [1])
    try expect(read, [ReadMark(number: 2, notificationID: "n")])
  }

  /// A user is found once, regardless of the number of the user's notifications.
  static func newsAreFound(_ store: any Store) async throws {
    let news = try await store.write { (body) throws(ServerError) in
      for user in ["_ann", "_bob", "_ann", "_cleo"] {
        try body.enqueue([Sample.notification("n", for: user)])
      }
      return [
        try body.usersWithNews(after: 0, limit: 10), try body.usersWithNews(after: 1, limit: 2),
        try body.usersWithNews(after: 3, limit: 1), try body.usersWithNews(after: 4, limit: 1),
      ]
    }
    try expect(
      news,
      [
        UsersWithNews(users: ["_ann", "_bob", "_cleo"], through: 4, hasMore: false),
        UsersWithNews(users: ["_bob", "_ann"], through: 3, hasMore: true),
        UsersWithNews(users: ["_cleo"], through: 4, hasMore: true),
        UsersWithNews(users: [], through: 4, hasMore: false),
      ])
  }

  /// Only a notification that increases the badge contains the badge in its payload.
  static func badgeCounts(_ store: any Store) async throws {
    let (badges, sent, other) = try await store.write { (body) throws(ServerError) in
      var badges = [try body.badge(of: "_ann")]
      try body.enqueue([
        Sample.notification("1", badges: true), Sample.notification("2"),
        Sample.notification("3", badges: true),
      ])
      badges.append(try body.badge(of: "_ann"))
      try body.setBadge(7, of: "_ann")
      badges.append(try body.badge(of: "_ann"))
      try body.enqueue([Sample.notification("4", badges: true)])
      var sent: [Int?] = []
      for one in try body.queue() { sent.append(try one.payload().presentation.badge) }
      return (badges, sent, try body.badge(of: "_bob"))
    }
    try expect(badges, [0, 2, 7])
    try expect(sent, [1, nil, 2, 8])
    try expect(other, 0)
  }

  /// Of several notifications of a user with the same key, only the newest is kept. It does not get
  /// the number of a notification that it replaces. Notifications of other users and other keys are
  /// also kept.
  static func notificationsCoalesce(_ store: any Store) async throws {
    let (ann, bob) = try await store.write { (body) throws(ServerError) in
      for (id, user, key) in [
        ("1", "_ann", "k"), ("2", "_ann", "l"), ("3", "_bob", "k"), ("4", "_ann", "k"),
        ("5", "_ann", nil),
      ] as [(String, String, String?)] {
        try body.enqueue([Sample.notification(id, for: user, key: key)])
      }
      return (try body.queue(), try body.queue(of: "_bob"))
    }
    try expect(ann.map(\.notificationID), ["2", "4", "5"])
    try expect(ann.map(\.number), [2, 3, 4])
    try expect(bob.map(\.notificationID), ["3"])
  }

  /// A notification that is marked as read is not replaced. A device that fetched the notification
  /// can therefore still receive the read mark.
  static func readOnesStay(_ store: any Store) async throws {
    let (ids, marks) = try await store.write { (body) throws(ServerError) in
      try body.enqueue([Sample.notification("1", key: "k")])
      _ = try body.markRead(ids: ["1"], of: "_ann")
      for id in ["2", "3"] { try body.enqueue([Sample.notification(id, key: "k")]) }
      return (
        try body.queue().map(\.notificationID), try body.readMarks(of: "_ann", after: 1, limit: 9)
      )
    }
    try expect(ids, ["1", "3"])
    try expect(marks, [ReadMark(number: 2, notificationID: "1")])
  }

  /// A new notification keeps its origin only if the originating device knows every notification
  /// that the new one replaces: the device itself made that change, or has acknowledged that
  /// notification. Otherwise the origin is removed, so that this device is notified, too. The rule
  /// applies only to registered devices.
  static func ownChangesCoalesce(_ store: any Store) async throws {
    let origins = try await store.write { (body) throws(ServerError) in
      try body.register(Sample.device("a"))
      try body.enqueue([
        Sample.notification("1", from: "a", key: "k"),
        Sample.notification("2", from: "a", key: "k"),
      ])
      var origins = try body.queue().map(\.originDeviceID)
      try body.enqueue([Sample.notification("3", from: "b", key: "k")])
      origins += try body.queue().map(\.originDeviceID)
      try body.acknowledge(through: 3, by: "a", of: "_ann")
      try body.enqueue([Sample.notification("4", from: "a", key: "k")])
      return origins + (try body.queue().map(\.originDeviceID))
    }
    // The device `b` is not registered, so the rule does not apply to it.
    try expect(origins, ["a", "b", "a"])
  }

  /// After changes of two devices are coalesced, every device is notified, no matter which device
  /// makes the next change.
  static func othersAreHeard(_ store: any Store) async throws {
    let origins = try await store.write { (body) throws(ServerError) in
      try body.register(Sample.device("a"))
      try body.register(Sample.device("b"))
      try body.enqueue([
        Sample.notification("1", from: "a", key: "k"),
        Sample.notification("2", from: "b", key: "k"),
      ])
      var origins = try body.queue().map(\.originDeviceID)
      try body.enqueue([Sample.notification("3", from: nil, key: "k")])
      try body.enqueue([Sample.notification("4", from: "a", key: "k")])
      origins += try body.queue().map(\.originDeviceID)
      return origins
    }
    try expect(origins, [nil, nil])
  }

  /// If a queue is too long, only its newest notifications are kept.
  static func longQueuesAreBounded(_ store: any Store) async throws {
    let numbers = try await store.write { (body) throws(ServerError) in
      try body.register(Sample.device("a"))
      for _ in 0..<12 { try body.enqueue((0..<100).map { Sample.notification("\($0)") }) }
      return try body.queue().map(\.number)
    }
    let most = Limits.queuedNotificationsMax
    try expect((most..<most + 32).contains(numbers.count), true, "\(numbers.count)")
    try expect(numbers.last, 1_200)
    try expect(numbers, Array(1_201 - Int64(numbers.count)...1_200))
  }

  /// A notification is kept if at least one of several devices has not acknowledged it. The newest
  /// notifications are also kept.
  static func acknowledgedGo(_ store: any Store) async throws {
    let (before, after) = try await store.write { (body) throws(ServerError) in
      try body.register(Sample.device("a"))
      try body.register(Sample.device("b"))
      try body.enqueue((0..<400).map { Sample.notification("\($0)") })
      try body.acknowledge(through: 400, by: "a", of: "_ann")
      try body.acknowledge(through: 10, by: "b", of: "_ann")
      try body.enqueue((0..<32).map { Sample.notification("\($0)") })
      let before = try body.queue().map(\.number)
      try body.acknowledge(through: 432, by: "b", of: "_ann")
      try body.enqueue((0..<32).map { Sample.notification("\($0)") })
      return (before, try body.queue().map(\.number))
    }
    try expect(before, Array(11...432))
    let kept = Limits.keptNotificationsMax
    try expect((kept..<kept + 32).contains(after.count), true, "\(after.count)")
    try expect(after.last, 464)
  }

  /// A failed transaction queues no notification, and leaves the newest notification number and the
  /// badge unchanged.
  static func undoneIsNotQueued(_ store: any Store) async throws {
    let error = await store.failure { (body) throws(ServerError) in
      try body.enqueue([Sample.notification("1", badges: true)])
      throw Sample.refusal
    }
    let (newest, queue, badge) = try await store.read { (body) throws(ServerError) in
      (try body.queueEnd(of: "_ann"), try body.queue(), try body.badge(of: "_ann"))
    }
    try expect(error?.code, .accessDenied)
    try expect(newest, QueueEnd(number: 0, storeNumber: 0))
    try expect(queue, [])
    try expect(badge, 0)
  }
}
