public import Foundation
import Synchronization

extension CKOperation {
  /// The settings of operations.
  ///
  /// Only properties that have been set take effect. Setting a property to its default value
  /// counts, too. An operation's unset properties come from its group's default configuration.
  open class Configuration: NSObject, @unchecked Sendable {
    /// The properties that have been set.
    struct Explicit: Sendable {
      var container: CKContainer?
      var qualityOfService: QualityOfService?
      var allowsCellularAccess: Bool?
      var isLongLived: Bool?
      var timeoutIntervalForRequest: TimeInterval?
      var timeoutIntervalForResource: TimeInterval?

      /// These properties, with unset ones taken from `other`.
      func completed(by other: Explicit) -> Explicit {
        Explicit(
          container: container ?? other.container,
          qualityOfService: qualityOfService ?? other.qualityOfService,
          allowsCellularAccess: allowsCellularAccess ?? other.allowsCellularAccess,
          isLongLived: isLongLived ?? other.isLongLived,
          timeoutIntervalForRequest: timeoutIntervalForRequest ?? other.timeoutIntervalForRequest,
          timeoutIntervalForResource:
            timeoutIntervalForResource ?? other.timeoutIntervalForResource)
      }

      /// Seconds; -1: no limit (semantics §13).
      var resourceTimeout: TimeInterval {
        if let timeoutIntervalForResource { return timeoutIntervalForResource }
        return switch qualityOfService ?? .default {
        case .userInteractive, .userInitiated: -1
        default: 604_800
        }
      }
    }

    private let state: Mutex<Explicit>

    /// The properties that have been set.
    var explicit: Explicit { state.withLock { $0 } }

    /// Makes a configuration with the default values.
    public override init() {
      state = Mutex(Explicit())
      super.init()
    }

    init(_ explicit: Explicit) {
      state = Mutex(explicit)
      super.init()
    }

    /// A configuration with the same properties set.
    func duplicate() -> Configuration { Configuration(explicit) }

    /// The container operations run in; nil: `CKContainer.default()`.
    public var container: CKContainer? {
      get { explicit.container }
      set { state.withLock { $0.container = newValue } }
    }

    /// The priority of operations; `.default` unless set.
    ///
    /// With `.utility` and `.background`, operations retry after network failures.
    public var qualityOfService: QualityOfService {
      get { explicit.qualityOfService ?? .default }
      set { state.withLock { $0.qualityOfService = newValue } }
    }

    /// Whether cellular networks may be used; true unless set.
    ///
    /// Choice: on systems other than Apple's the kinds of networks are not distinguished, and every
    /// network may be used.
    public var allowsCellularAccess: Bool {
      get { explicit.allowsCellularAccess ?? true }
      set { state.withLock { $0.allowsCellularAccess = newValue } }
    }

    /// Whether operations outlast the process; false unless set. Has no effect on an operation that
    /// has started.
    public var isLongLived: Bool {
      get { explicit.isLongLived ?? false }
      set { state.withLock { $0.isLongLived = newValue } }
    }

    /// Seconds without a received byte after which a request fails; 60 unless set.
    public var timeoutIntervalForRequest: TimeInterval {
      get { explicit.timeoutIntervalForRequest ?? 60 }
      set { state.withLock { $0.timeoutIntervalForRequest = newValue } }
    }

    /// Seconds for a request including all retries; -1: no limit.
    ///
    /// Unless set, there is no limit with `.userInteractive` and `.userInitiated`. Otherwise the
    /// default is a week.
    public var timeoutIntervalForResource: TimeInterval {
      get { explicit.resourceTimeout }
      set { state.withLock { $0.timeoutIntervalForResource = newValue } }
    }
  }
}
