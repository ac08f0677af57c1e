import Foundation

extension AsyncStream<Void>.Continuation {
  /// Yields an element when one of these signals arrives. After this call, the signals have no
  /// other effect.
  func follow(_ signals: Int32...) async {
    // No other code uses the sources before they are cancelled.
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
      // On Apple's systems, a source only observes the signal. On other systems, it handles the
      // signal.
      for number in signals { signal(number, SIG_IGN) }
    #endif
  }
}
