import ServiceLifecycle

/// Removes the bytes of assets that no record has used for some time.
struct AssetSweep: ServiceLifecycle.Service {
  /// The time between two runs.
  ///
  /// NB: each run lists every file, so the runs must not be frequent. By default, bytes are kept
  /// for a day, so a delay of some minutes does not matter.
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
