/// Pauses and waits during the soak test.
enum SoakTime {
  /// Waits while a load runs.
  static func pass(_ duration: Duration) async { try? await Task.sleep(for: duration) }

  /// Checks a condition repeatedly until it is true.
  ///
  /// - Returns: false if the condition is still false after this time.
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
