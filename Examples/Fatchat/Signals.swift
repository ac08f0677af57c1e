import Foundation

extension AsyncStream<Void>.Continuation {
  /// Yields each time that one of these signals arrives; from when this returns they do nothing
  /// else.
  func heed(_ signals: Int32...) async {
    // Touched by nobody until they are cancelled.
    nonisolated(unsafe) let sources = signals.map { signal in
      let source = DispatchSource.makeSignalSource(signal: signal)
      source.setEventHandler { self.yield() }
      return source
    }
    onTermination = { _ in for source in sources { source.cancel() } }
    for source in sources {
      await withCheckedContinuation { listens in
        source.setRegistrationHandler { listens.resume() }
        source.resume()
      }
    }
    #if canImport(Darwin)
      // There, a source looks on; elsewhere it has taken the signal over.
      for number in signals { signal(number, SIG_IGN) }
    #endif
  }
}
