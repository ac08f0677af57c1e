import Hummingbird
import Logging
import ServiceLifecycle
import StratusDomain
import StratusHTTP
import StratusWire

/// The address at which Prometheus reads the metrics. It needs no token, so other machines should
/// not reach it.
public struct MetricsAddress: Sendable, Hashable {
  public var host: String
  /// The port, or 0 for any free port.
  public var port: Int

  public init(host: String = "127.0.0.1", port: Int) {
    self.host = host
    self.port = port
  }
}

/// The settings of traces: the file with the spans, and the fraction of traced requests.
public struct TraceSettings: Sendable, Hashable {
  /// The path of the file. The previous file has the suffix `.1`.
  public var path: String
  /// The fraction of requests to trace, 0 to 1. It applies if the caller sends no trace.
  public var ratio: Double

  public init(path: String, ratio: Double = 0.01) {
    self.path = path
    self.ratio = ratio
  }
}

extension Server {
  /// The service of the metrics, with its URL and its observer.
  struct MetricsService: Sendable {
    var service: any ServiceLifecycle.Service
    /// Yields the URL of the metrics when they can be read.
    var url: AsyncStream<String>
    /// Counts the requests.
    var observer: RequestMetrics
  }

  /// Creates the service of the metrics, or returns nil if the settings have no address for it.
  func metricsService(_ parts: Composition) -> MetricsService? {
    guard let address = settings.metrics else { return nil }
    let metrics = PrometheusMetrics()
    let numbers = ServerNumbers(parts: parts, metrics: metrics, startedAt: live.ambient.now())
    var router = parts.router
    router.pages = nil
    router.metrics = { await numbers.page() }
    let (urls, url) = AsyncStream<String>.makeStream()
    let application = HTTPServer.application(
      router: router, host: address.host, port: address.port, logger: logger
    ) { port in
      url.yield("http://\(Settings.inURL(address.host)):\(port)/metrics")
      url.finish()
    }
    return MetricsService(
      service: application, url: urls, observer: RequestMetrics(factory: metrics))
  }

  /// Returns the observers that write logs and traces. They need no port.
  ///
  /// - Parameter traces: the file of the traces, or nil if no requests are traced.
  func logObservers(traces: TraceFile?) -> [any RequestObserver] {
    var observers: [any RequestObserver] = []
    if let traces, let settings = settings.traces {
      observers.append(
        RequestTraces(
          tracer: FileTracer(file: traces, randomness: live.randomness), ratio: settings.ratio,
          chance: { [live] in live.chance() }))
    }
    if let output, logger.logLevel <= .info { observers.append(RequestLines(output: output)) }
    if let milliseconds = settings.slowQueryMilliseconds, logger.logLevel <= .warning {
      observers.append(SlowQueries(milliseconds: milliseconds, logger: logger))
    }
    return observers
  }
}
