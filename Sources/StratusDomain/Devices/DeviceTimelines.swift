public import StratusWire
import Synchronization

/// Remembers the last activities of users' devices: requests, errors, tokens and saves.
///
/// The timelines answer the question "why does this device not sync?". They are kept in memory, so
/// they begin when the process starts. They contain no contents and no names of records.
public final class DeviceTimelines: Sendable {
  /// A user in a store.
  struct Owner: Hashable {
    var store: StoreAddress
    var user: String
  }

  /// The last activities of one device.
  struct Device: Sendable {
    /// The app and its version, as the last request named them.
    var app = ""
    var lastSeen: Int64 = 0
    /// The first characters of the session ID of the last request, or nil if it had no session.
    var session: String?
    /// The device's position in the history of each zone, and the time when the device got the
    /// change token of this position.
    var positions: [ZoneID: (position: SyncNotes.Position, time: Int64)] = [:]
    var lastSave: Int64?
    /// The time of the first request for an upload since the last save, or nil if there was none.
    var uploadSince: Int64?
    /// The last requests, the oldest first.
    var requests: [DeviceReport.Request] = []
  }

  /// If ``State/young`` has more users than this number, it replaces ``State/old``, and becomes
  /// empty.
  static let usersMax = 1_000
  static let devicesMax = 10
  static let zonesMax = 50
  static let requestsMax = 20

  /// The devices of one user.
  ///
  /// NB: this is a class, because each change of a dictionary in ``State`` would copy the
  /// dictionary, or look it up several times.
  private final class Devices {
    /// The devices by their IDs.
    var all: [String: Device] = [:]
  }

  private struct State {
    /// The users who were active since this dictionary was last emptied.
    var young: [Owner: Devices] = [:]
    /// The users who were active before. If an active user is among them, the user moves to
    /// ``young``.
    var old: [Owner: Devices] = [:]
  }

  private let state = Mutex(State())

  public init() {}

  /// Notes a request of a signed-in user.
  ///
  /// - Parameters:
  ///   - session: the first characters of the ID of the caller's session, or nil if there is none.
  ///   - positions: the positions of the change tokens in the answer.
  public func note(_ entry: RequestEntry, session: String?, positions: [SyncNotes.Position]) {
    guard let user = entry.userRecordName else { return }
    let owner = Owner(
      store: StoreAddress(container: entry.containerID, environment: entry.environment),
      user: user)
    state.withLock { state in
      let devices = Self.devices(of: owner, &state)
      devices.all[entry.deviceID, default: Device()].note(
        entry, session: session, positions: positions)
      if devices.all.count > Self.devicesMax,
        let oldest = devices.all.min(by: { $0.value.lastSeen < $1.value.lastSeen })
      {
        devices.all[oldest.key] = nil
      }
      if state.young.count > Self.usersMax {
        state.old = state.young
        state.young = [:]
      }
    }
  }

  /// Returns the devices of an active user.
  private static func devices(of owner: Owner, _ state: inout State) -> Devices {
    if let devices = state.young[owner] { return devices }
    let devices = state.old.removeValue(forKey: owner) ?? Devices()
    state.young[owner] = devices
    return devices
  }

  /// Returns the devices of a user, by their IDs.
  func devices(of user: String, at store: StoreAddress) -> [String: Device] {
    let owner = Owner(store: store, user: user)
    return state.withLock { ($0.young[owner] ?? $0.old[owner])?.all ?? [:] }
  }
}

extension DeviceTimelines.Device {
  fileprivate mutating func note(
    _ entry: RequestEntry, session: String?, positions: [SyncNotes.Position]
  ) {
    lastSeen = entry.time
    app = entry.app
    self.session = session
    for position in positions {
      self.positions[position.zoneID] = (position, entry.time)
    }
    if self.positions.count > DeviceTimelines.zonesMax,
      let oldest = self.positions.min(by: { $0.value.time < $1.value.time })
    {
      self.positions[oldest.key] = nil
    }
    let isFine = entry.outcome == RequestEntry.okay
    if isFine, entry.endpoint == ModifyRecords.path {
      lastSave = entry.time
      uploadSince = nil
    } else if entry.endpoint == UploadAssets.path {
      uploadSince = uploadSince ?? entry.time
    }
    requests.append(
      DeviceReport.Request(
        time: entry.time, endpoint: entry.endpoint, outcome: entry.outcome,
        milliseconds: entry.milliseconds, requestID: isFine ? nil : entry.requestID))
    if requests.count > DeviceTimelines.requestsMax { requests.removeFirst() }
  }
}
