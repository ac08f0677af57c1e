/// The times of the soak.
enum SoakTime {
  /// Lets a load run for a while.
  static func pass(_ duration: Duration) async { try? await Task.sleep(for: duration) }

  /// Looks again and again until a condition holds.
  ///
  /// - Returns: false: it does not hold after that time.
  static func wait(
    atMost duration: Duration, until condition: @Sendable () async throws -> Bool
  ) async rethrows -> Bool {
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end {
      if try await condition() { return true }
      await pass(.milliseconds(200))
    }
    return try await condition()
  }
}
