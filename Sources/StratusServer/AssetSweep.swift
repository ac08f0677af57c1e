import ServiceLifecycle

/// Removes the bytes of files that no record has held for a while.
struct AssetSweep: ServiceLifecycle.Service {
  /// NB: each run lists every file, so it is not for every minute; what it removes is a day old.
  private static let pause = Duration.seconds(600)

  let parts: Composition
  let graceSeconds: Int64

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        try? await Task.sleep(for: Self.pause)
        if Task.isCancelled { return }
        await parts.sweepAssets(graceSeconds: graceSeconds)
      }
    }
  }
}
