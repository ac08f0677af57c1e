import ServiceLifecycle

/// Removes bytes of files that no record has referenced for a while.
struct AssetSweep: ServiceLifecycle.Service {
  /// NB: each run lists every file, so the runs must not be frequent. Bytes are removed only after
  /// a day, so a delay does not matter.
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
