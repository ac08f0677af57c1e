import Foundation

extension AsyncStream<Void> {
  /// Each time that one of these signals arrives; from when this returns they do nothing else.
  static func signals(_ numbers: Int32...) async -> AsyncStream<Void> {
    let (stream, arrivals) = AsyncStream.makeStream()
    // Touched by nobody until they are cancelled.
    nonisolated(unsafe) let sources = numbers.map { number in
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { arrivals.yield() }
      return source
    }
    arrivals.onTermination = { _ in for source in sources { source.cancel() } }
    for source in sources {
      await withCheckedContinuation { listens in
        source.setRegistrationHandler { listens.resume() }
        source.resume()
      }
    }
    #if canImport(Darwin)
      // There, a source looks on; elsewhere it has taken the signal over.
      for number in numbers { signal(number, SIG_IGN) }
    #endif
    return stream
  }
}
