import StratusDomain
import StratusPush
import StratusWire
import Testing

@testable import StratusServer

@Suite struct `A queue for Apple's service` {
  @Test
  func `the APNs queue has no notification for users whose accounts are disabled`() async throws {
    let memory = MemoryQueue()
    for user in ["_ann", "_bob"] {
      memory.register("phone of \(user)", of: user)
      memory.add(to: user)
    }
    let queue = EnabledUsersQueue(
      queue: memory, container: "iCloud.a", authentication: Disabled(users: ["_ann"]))
    let news = try await queue.devicesWithNews(after: 0, limit: 10)
    #expect(news.devices.map(\.user) == ["_bob"])
    let waiting = try await queue.waiting(for: "phone of _ann", of: "_ann", limit: 10)
    #expect(waiting?.device == nil)
    let others = try await queue.waiting(for: "phone of _bob", of: "_bob", limit: 10)
    #expect(others?.notifications.count == 1)
  }
}

/// An account directory that knows only which accounts are disabled.
private struct Disabled: Authentication {
  let users: Set<String>

  func admit(_ request: AdmissionRequest) async throws(ServerError) -> Admission {
    Admission(principal: .anonymous)
  }

  func disabledUsers(of container: String) async throws(ServerError) -> Set<String> { users }

  func endedSessions(among ids: Set<String>) async throws(ServerError) -> Set<String> { [] }
}
