import StratusWire
import Testing

@testable import StratusDomain

@Suite struct `The timelines of devices` {
  private let store = StoreAddress(container: "c", environment: .production)

  private func entry(
    _ time: Int64, _ endpoint: String = "changes/zone", outcome: String = "ok",
    user: String? = "_anna", device: String = "phone"
  ) -> RequestEntry {
    RequestEntry(
      requestID: "r\(time)", time: time, milliseconds: 1, bytesIn: 1, bytesOut: 2,
      containerID: "c", environment: .production, database: .private, endpoint: endpoint,
      outcome: outcome, steps: 3, userRecordName: user, deviceID: device, app: "Notes/1")
  }

  private func position(_ zone: String, _ change: Int64) -> SyncNotes.Position {
    SyncNotes.Position(
      zoneID: ZoneID(zoneName: zone), incarnation: 1, change: change, moreComing: false)
  }

  @Test func `a timeline has the newest position of the device in each zone`() {
    let timelines = DeviceTimelines()
    timelines.note(entry(1), session: "s", positions: [position("A", 5), position("B", 6)])
    timelines.note(entry(2), session: "s", positions: [position("A", 9)])
    let device = timelines.devices(of: "_anna", at: store)["phone"]
    #expect(device?.positions[ZoneID(zoneName: "A")]?.position.change == 9)
    #expect(device?.positions[ZoneID(zoneName: "B")]?.time == 1)
    #expect(device?.lastSeen == 2)
    #expect(device?.session == "s")
  }

  @Test func `each user has separate timelines in each container and environment`() {
    let timelines = DeviceTimelines()
    timelines.note(entry(1), session: nil, positions: [])
    timelines.note(entry(1, user: nil), session: nil, positions: [])
    #expect(timelines.devices(of: "_bert", at: store).isEmpty)
    let other = StoreAddress(container: "c", environment: .development)
    #expect(timelines.devices(of: "_anna", at: other).isEmpty)
  }

  @Test func `a timeline keeps the ID of a request only if the request was refused`() {
    let timelines = DeviceTimelines()
    timelines.note(entry(1), session: nil, positions: [])
    timelines.note(entry(2, outcome: "CONFLICT"), session: nil, positions: [])
    let requests = timelines.devices(of: "_anna", at: store)["phone"]?.requests
    #expect(requests?.map(\.requestID) == [nil, "r2"])
  }

  @Test func `a device counts as waiting after an upload until its next successful save`() {
    let timelines = DeviceTimelines()
    timelines.note(entry(1, "assets/upload"), session: nil, positions: [])
    timelines.note(entry(2, "assets/upload"), session: nil, positions: [])
    let refused = entry(3, "records/modify", outcome: "QUOTA_EXCEEDED")
    timelines.note(refused, session: nil, positions: [])
    #expect(timelines.devices(of: "_anna", at: store)["phone"]?.uploadSince == 1)
    timelines.note(entry(4, "records/modify"), session: nil, positions: [])
    #expect(timelines.devices(of: "_anna", at: store)["phone"]?.uploadSince == nil)
    #expect(timelines.devices(of: "_anna", at: store)["phone"]?.lastSave == 4)
  }

  @Test func `a user's timelines have limited numbers of devices, zones and requests`() {
    let timelines = DeviceTimelines()
    for time in 1...100 {
      timelines.note(
        entry(Int64(time), device: "d\(time)"), session: nil, positions: [])
    }
    let names = timelines.devices(of: "_anna", at: store).keys.sorted()
    #expect(names == (91...100).map { "d\($0)" }.sorted())
    for time in 101...200 {
      timelines.note(
        entry(Int64(time), device: "d100"), session: nil, positions: [position("z\(time)", 1)])
    }
    let device = timelines.devices(of: "_anna", at: store)["d100"]
    #expect(device?.requests.map(\.time) == Array(181...200))
    #expect(device?.positions.count == DeviceTimelines.zonesMax)
    #expect(device?.positions[ZoneID(zoneName: "z150")] == nil)
  }

  @Test func `the timelines of an active user are kept when there are too many users`() {
    let timelines = DeviceTimelines()
    for number in 0..<3 * DeviceTimelines.usersMax {
      timelines.note(entry(1, user: "_user\(number)"), session: nil, positions: [])
      if number.isMultiple(of: 100) {
        timelines.note(entry(Int64(number)), session: nil, positions: [])
      }
    }
    #expect(timelines.devices(of: "_anna", at: store)["phone"]?.requests.count == 20)
    #expect(timelines.devices(of: "_user0", at: store).isEmpty)
  }
}

@Suite struct `Findings about a device` {
  private let now: Int64 = 1_000_000
  private let push = DeviceReport.Push(
    channel: "stream", waiting: 0, waitingSince: nil, lastPush: nil, seen: 0)

  private func report(_ change: (inout DeviceReport) -> Void) -> [String] {
    var report = DeviceReport(
      deviceID: "d", app: "", lastSeen: now, push: push, zones: [], requests: [])
    change(&report)
    return DeviceFindings(report: report, now: now).all
  }

  private func zone(age: Int64, lag: Int64?, moreComing: Bool = false) -> DeviceReport.Zone {
    DeviceReport.Zone(
      zoneName: "Notes", ownerRecordName: nil, tokenAt: now - age, moreComing: moreComing,
      lag: lag)
  }

  private func request(_ outcome: String) -> DeviceReport.Request {
    DeviceReport.Request(
      time: now, endpoint: "records/modify", outcome: outcome, milliseconds: 1, requestID: nil)
  }

  @Test func `a device that is up to date has no finding`() {
    #expect(report { $0.zones = [zone(age: 900_000, lag: 0)] } == [])
    let last = [request("ok"), request("CONFLICT"), request("CONFLICT")]
    #expect(report { $0.requests = last } == [])
  }

  @Test func `a device counts as behind after five minutes`() {
    #expect(report { $0.zones = [zone(age: 299_999, lag: 3)] } == [])
    let found = report { $0.zones = [zone(age: 300_000, lag: 3)] }
    #expect(found.count == 1)
    #expect(found.first?.contains("not fetched 3 records of the zone 'Notes'") == true)
    #expect(report { $0.zones = [zone(age: 300_000, lag: nil)] } == [])
  }

  @Test func `the findings name a zone whose fetch stopped between two pages`() {
    let found = report { $0.zones = [zone(age: 300_000, lag: 3, moreComing: true)] }
    #expect(found.count == 1)
    #expect(found.first?.contains("stopped in the middle") == true)
  }

  @Test func `the findings name three failures in a row and their remedy`() {
    let found = report {
      $0.requests = Array(repeating: request("QUOTA_EXCEEDED"), count: 3)
    }
    #expect(found.count == 1)
    #expect(found.first?.hasSuffix("The user's quota is full.") == true)
    #expect(report { $0.requests = Array(repeating: request("CONFLICT"), count: 2) } == [])
  }

  @Test func `the findings name an upload without a save, a waiting push and a missing push`() {
    #expect(report { $0.uploadSince = now - 300_000 }.count == 1)
    #expect(report { $0.uploadSince = now - 1 } == [])
    var late = push
    (late.waiting, late.waitingSince) = (2, 1)
    #expect(report { $0.push = late }.count == 1)
    late.waitingSince = now
    #expect(report { $0.push = late } == [])
    #expect(report { $0.push = nil }.count == 1)
  }
}
