import StratusDomain
import StratusPush

/// A queue for Apple's push service that leaves out the users whose accounts are disabled or
/// restricted.
struct EnabledUsersQueue: APNsQueue {
  let queue: any APNsQueue
  let container: String
  let authentication: any Authentication

  func devicesWithNews(
    after number: Int64, limit: Int
  ) async throws(ServerError) -> APNsDevicesWithNews {
    var news = try await queue.devicesWithNews(after: number, limit: limit)
    if news.devices.isEmpty { return news }
    let disabled = try await authentication.disabledUsers(of: container)
    news.devices.removeAll { disabled.contains($0.user) }
    return news
  }

  func waiting(
    for deviceID: String, of user: String, limit: Int
  ) async throws(ServerError) -> APNsWaiting? {
    if try await authentication.disabledUsers(of: container).contains(user) { return nil }
    return try await queue.waiting(for: deviceID, of: user, limit: limit)
  }

  func acknowledge(
    through number: Int64, by device: StoredDevice
  ) async throws(ServerError) {
    try await queue.acknowledge(through: number, by: device)
  }

  func removeToken(of device: StoredDevice) async throws(ServerError) {
    try await queue.removeToken(of: device)
  }
}
