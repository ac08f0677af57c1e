import Logging
import ServiceLifecycle
import StratusDomain
import StratusPush

/// Delivers notifications to listeners, checks whether signals were lost, and removes old
/// notifications.
struct NotificationService: ServiceLifecycle.Service {
  private static let pause = Duration.seconds(1)
  private static let pausesPerPrune = 600
  private static let pausesPerTouch = 43_200

  let parts: Composition
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await parts.hub.run() }
        group.addTask { await poll() }
        group.addTask { await follow(parts.newsOfOthers) }
      }
    }
    parts.hub.close()
  }

  private func follow(_ news: any Signals) async {
    for await signal in news.received { await parts.hub.look(at: signal.address) }
  }

  private func poll() async {
    var pauses = 0
    while !Task.isCancelled {
      try? await Task.sleep(for: Self.pause)
      if Task.isCancelled { return }
      pauses += 1
      parts.attendNodes()
      parts.hub.tick()
      await parts.hub.poll()
      await releaseEnded()
      if pauses % Self.pausesPerPrune == 0 { await prune() }
      if pauses % Self.pausesPerTouch == 0 { await parts.hub.touchDevices() }
    }
  }

  private func releaseEnded() async {
    do throws(ServerError) { try await parts.hub.releaseEnded(by: parts.accounts) } catch {
      logger.error("it is not known which sessions have ended: \(error.reason) \(error.facts)")
    }
  }

  private func prune() async {
    do throws(ServerError) { try await parts.pruneNotifications() } catch {
      logger.error("old notifications cannot be removed: \(error.reason) \(error.facts)")
    }
  }
}
