public import Foundation
import StratusArchive
import Synchronization

/// Groups operations that belong to one task of the app. The operations share a configuration, and
/// the server's log shows them as a group.
open class CKOperationGroup: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The number of bytes that the operations of a group are expected to transfer.
  public enum TransferSize: Int, Sendable {
    /// The size is unknown.
    case unknown = 0
    /// Up to one megabyte.
    case kilobytes = 1
    /// One to ten megabytes.
    case megabytes = 2
    /// Ten to a hundred megabytes.
    case tensOfMegabytes = 3
    /// A hundred megabytes to a gigabyte.
    case hundredsOfMegabytes = 4
    /// One to ten gigabytes.
    case gigabytes = 5
    /// Ten to a hundred gigabytes.
    case tensOfGigabytes = 6
    /// More than a hundred gigabytes.
    case hundredsOfGigabytes = 7
  }

  /// Identifies this group in the server's log.
  public let operationGroupID: String
  /// The purpose of the group. It is sent to the server, so it must not identify a person.
  public var name: String? {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }
  /// The number of operations in the group; 0, the default, means unknown.
  public var quantity: Int {
    get { state.withLock { $0.quantity } }
    set { state.withLock { $0.quantity = newValue } }
  }
  /// The expected size of the uploads.
  public var expectedSendSize: TransferSize {
    get { state.withLock { $0.sendSize } }
    set { state.withLock { $0.sendSize = newValue } }
  }
  /// The expected size of the downloads.
  public var expectedReceiveSize: TransferSize {
    get { state.withLock { $0.receiveSize } }
    set { state.withLock { $0.receiveSize = newValue } }
  }
  /// The settings for those properties that the group's operations do not set. This property stores
  /// a copy of the value that an app assigns. The value nil resets the settings.
  public var defaultConfiguration: CKOperation.Configuration! {
    get { state.withLock { $0.configuration } }
    set {
      let copy = newValue?.duplicate() ?? CKOperation.Configuration()
      state.withLock { $0.configuration = copy }
    }
  }

  private struct State {
    var name: String?
    var quantity = 0
    var sendSize = TransferSize.unknown
    var receiveSize = TransferSize.unknown
    var configuration = CKOperation.Configuration()
  }

  private let state: Mutex<State>

  /// Makes a group with a new ID.
  public override init() {
    operationGroupID = Live.newID()
    state = Mutex(State())
    super.init()
  }

  private init(id: String, _ state: State) {
    operationGroupID = id
    self.state = Mutex(state)
    super.init()
  }

  open override var classForKeyedArchiver: AnyClass? {
    ArchiveName.operationGroup.standIn(for: self, of: CKOperationGroup.self)
  }

  public static var supportsSecureCoding: Bool { true }

  private enum Key {
    static let id = "operationGroupID"
    static let name = "name"
    static let quantity = "quantity"
    static let sendSize = "expectedSendSize"
    static let receiveSize = "expectedReceiveSize"
    static let quality = "defaultConfiguration.qualityOfService"
    static let cellular = "defaultConfiguration.allowsCellularAccess"
    static let request = "defaultConfiguration.timeoutIntervalForRequest"
    static let resource = "defaultConfiguration.timeoutIntervalForResource"
  }

  /// Reads an archived group.
  public required init(coder aDecoder: NSCoder) {
    // NB: decoding an absent key aborts the process.
    func string(_ key: String) -> String? {
      guard aDecoder.containsValue(forKey: key) else { return nil }
      return aDecoder.decodeObject(of: NSString.self, forKey: key) as String?
    }
    operationGroupID = string(Key.id) ?? Live.newID()
    var explicit = CKOperation.Configuration.Explicit()
    if aDecoder.containsValue(forKey: Key.quality) {
      explicit.qualityOfService =
        QualityOfService(rawValue: aDecoder.decodeInteger(forKey: Key.quality))
    }
    if aDecoder.containsValue(forKey: Key.cellular) {
      explicit.allowsCellularAccess = aDecoder.decodeBool(forKey: Key.cellular)
    }
    if aDecoder.containsValue(forKey: Key.request) {
      explicit.timeoutIntervalForRequest = aDecoder.decodeDouble(forKey: Key.request)
    }
    if aDecoder.containsValue(forKey: Key.resource) {
      explicit.timeoutIntervalForResource = aDecoder.decodeDouble(forKey: Key.resource)
    }
    let sendSize = TransferSize(rawValue: aDecoder.decodeInteger(forKey: Key.sendSize))
    let receiveSize = TransferSize(rawValue: aDecoder.decodeInteger(forKey: Key.receiveSize))
    state = Mutex(
      State(
        name: string(Key.name), quantity: aDecoder.decodeInteger(forKey: Key.quantity),
        sendSize: sendSize ?? .unknown, receiveSize: receiveSize ?? .unknown,
        configuration: CKOperation.Configuration(explicit)))
    super.init()
  }

  /// Archives the group without the container of its default configuration.
  public func encode(with coder: NSCoder) {
    let state = state.withLock { $0 }
    coder.encode(operationGroupID as NSString, forKey: Key.id)
    if let name = state.name { coder.encode(name as NSString, forKey: Key.name) }
    coder.encode(state.quantity, forKey: Key.quantity)
    coder.encode(state.sendSize.rawValue, forKey: Key.sendSize)
    coder.encode(state.receiveSize.rawValue, forKey: Key.receiveSize)
    let explicit = state.configuration.explicit
    if let quality = explicit.qualityOfService {
      coder.encode(quality.rawValue, forKey: Key.quality)
    }
    if let allows = explicit.allowsCellularAccess { coder.encode(allows, forKey: Key.cellular) }
    if let seconds = explicit.timeoutIntervalForRequest {
      coder.encode(seconds, forKey: Key.request)
    }
    if let seconds = explicit.timeoutIntervalForResource {
      coder.encode(seconds, forKey: Key.resource)
    }
  }

  /// Returns a group with the same ID and properties.
  public func copy(with zone: NSZone? = nil) -> Any {
    var state = state.withLock { $0 }
    state.configuration = state.configuration.duplicate()
    return CKOperationGroup(id: operationGroupID, state)
  }
}
