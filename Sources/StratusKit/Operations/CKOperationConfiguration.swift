public import Foundation
import Synchronization

extension CKOperation {
  /// The settings of operations.
  ///
  /// A property counts as set even if an app sets it to its default value. An operation takes each
  /// unset property from the container or database that it was added to, if `configuredWith` made
  /// that object, or else from the default configuration of its group.
  open class Configuration: NSObject, @unchecked Sendable {
    /// The properties that have been set.
    struct Explicit: Sendable {
      var container: CKContainer?
      var qualityOfService: QualityOfService?
      var allowsCellularAccess: Bool?
      var isLongLived: Bool?
      var timeoutIntervalForRequest: TimeInterval?
      var timeoutIntervalForResource: TimeInterval?

      /// Returns these properties. The unset properties are taken from `other`.
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

      /// The maximum number of seconds for a request, including all retries; -1 means no limit.
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

    /// Returns a configuration in which the same properties are set.
    func duplicate() -> Configuration { Configuration(explicit) }

    /// The container in which operations run; nil means `CKContainer.default()`.
    public var container: CKContainer? {
      get { explicit.container }
      set { state.withLock { $0.container = newValue } }
    }

    /// The priority of operations; `.default` unless set.
    ///
    /// With `.utility` and `.background`, operations retry after network failures until
    /// ``timeoutIntervalForResource``. With other priorities, they make at most a few short
    /// retries.
    public var qualityOfService: QualityOfService {
      get { explicit.qualityOfService ?? .default }
      set { state.withLock { $0.qualityOfService = newValue } }
    }

    /// Whether cellular networks may be used; true unless set.
    ///
    /// Choice: on Linux, the kinds of networks are not distinguished, and every network may be
    /// used.
    public var allowsCellularAccess: Bool {
      get { explicit.allowsCellularAccess ?? true }
      set { state.withLock { $0.allowsCellularAccess = newValue } }
    }

    /// Whether operations outlast the process; false unless set. A change has no effect on an
    /// operation that has started.
    public var isLongLived: Bool {
      get { explicit.isLongLived ?? false }
      set { state.withLock { $0.isLongLived = newValue } }
    }

    /// The number of seconds without a received byte after which a request fails; 60 unless set.
    public var timeoutIntervalForRequest: TimeInterval {
      get { explicit.timeoutIntervalForRequest ?? 60 }
      set { state.withLock { $0.timeoutIntervalForRequest = newValue } }
    }

    /// The maximum number of seconds for a request, including all retries; -1 means no limit.
    ///
    /// The default is no limit with the priorities `.userInteractive` and `.userInitiated`, and one
    /// week with all others.
    public var timeoutIntervalForResource: TimeInterval {
      get { explicit.resourceTimeout }
      set { state.withLock { $0.timeoutIntervalForResource = newValue } }
    }
  }
}
