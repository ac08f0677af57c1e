import Logging
import ServiceLifecycle
import StratusHTTP
import UnixSignals

/// Reads the certificate and its key again after a SIGHUP, and when the files have changed.
///
/// A certificate and key that cannot be used are logged, and the earlier ones are kept.
struct TLSReloading: ServiceLifecycle.Service {
  /// The time between two checks of the files. With these checks, programs that renew certificates
  /// need not send a signal.
  private static let pause = Duration.seconds(10)

  let identity: TLSIdentity
  let heedsSignals: Bool
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        if heedsSignals { group.addTask { await follow() } }
        group.addTask { await poll() }
      }
    }
  }

  private func follow() async {
    for await _ in await UnixSignalsSequence(trapping: .sighup) {
      report { () throws(TLSFailure) in
        try identity.reload()
        return true
      }
    }
  }

  private func poll() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: Self.pause)
      report { () throws(TLSFailure) in try identity.reloadIfChanged() }
    }
  }

  private func report(_ reload: () throws(TLSFailure) -> Bool) {
    do throws(TLSFailure) {
      if try reload() { logger.notice("the certificate was read again") }
    } catch {
      logger.error("the new certificate is not used, the earlier one stays: \(error)")
    }
  }
}

/// Keeps a server without a certificate running after SIGHUP, which programs that renew
/// certificates send.
struct IgnoredHangUp: ServiceLifecycle.Service {
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      for await _ in await UnixSignalsSequence(trapping: .sighup) {
        logger.notice("SIGHUP changes nothing: the server has no certificate")
      }
    }
  }
}
