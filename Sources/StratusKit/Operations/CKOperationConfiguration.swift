public import Foundation
import Synchronization

extension CKOperation {
  /// How operations are carried out.
  ///
  /// A property counts only once it has been set, even if to its default: what an operation leaves
  /// unset is taken from its group's default configuration.
  open class Configuration: NSObject, @unchecked Sendable {
    /// The properties that have been set.
    struct Explicit: Sendable {
      var container: CKContainer?
      var qualityOfService: QualityOfService?
      var allowsCellularAccess: Bool?
      var isLongLived: Bool?
      var timeoutIntervalForRequest: TimeInterval?
      var timeoutIntervalForResource: TimeInterval?

      /// These, with those of `other` where they are unset.
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

      /// Seconds; -1: no bound (semantics §13).
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

    /// How urgent operations are; `.default` unless set.
    ///
    /// With `.utility` and `.background`, operations go on trying when the network fails.
    public var qualityOfService: QualityOfService {
      get { explicit.qualityOfService ?? .default }
      set { state.withLock { $0.qualityOfService = newValue } }
    }

    /// Whether cellular networks may be used; true unless set.
    ///
    /// Choice: off Apple's platforms networks are not told apart, and every one may be used.
    public var allowsCellularAccess: Bool {
      get { explicit.allowsCellularAccess ?? true }
      set { state.withLock { $0.allowsCellularAccess = newValue } }
    }

    /// Whether operations outlast the process; false unless set. Without effect once an operation
    /// has started.
    public var isLongLived: Bool {
      get { explicit.isLongLived ?? false }
      set { state.withLock { $0.isLongLived = newValue } }
    }

    /// Seconds without a byte after which a request is given up; 60 unless set.
    public var timeoutIntervalForRequest: TimeInterval {
      get { explicit.timeoutIntervalForRequest ?? 60 }
      set { state.withLock { $0.timeoutIntervalForRequest = newValue } }
    }

    /// Seconds for a request with all its repetitions; -1: no bound.
    ///
    /// Unless set, no bound with `.userInteractive` and `.userInitiated`, else a week.
    public var timeoutIntervalForResource: TimeInterval {
      get { explicit.resourceTimeout }
      set { state.withLock { $0.timeoutIntervalForResource = newValue } }
    }
  }
}
