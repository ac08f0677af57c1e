public import Foundation
import StratusArchive
import StratusTransport
import StratusWire
import Synchronization

/// A file that belongs to a field of a record: only its bytes are kept, no name and no attributes.
///
/// An asset belongs to one record; two records have the same file by two assets. Two assets are
/// never equal. After a fetch the file lies in a place that is cleaned up in time: move what is to
/// stay.
public final class CKAsset: NSObject, NSSecureCoding, @unchecked Sendable {
  private struct State {
    var fileURL: URL?
    var held: HeldAsset?
    var receipt: KeptReceipt?
  }

  private let state: Mutex<State>

  /// An asset of a file of this machine, which is read when the record is saved. A URL that is
  /// none of a file is a programmer's error.
  public init(fileURL: URL) {
    precondition(fileURL.isFileURL, "an asset needs the URL of a file")
    state = Mutex(State(fileURL: fileURL))
    super.init()
  }

  /// An asset whose bytes only the server has.
  init(held: HeldAsset) {
    state = Mutex(State(held: held))
    super.init()
  }

  /// Where the bytes are: the URL it was made with, or that of the fetched file. nil in the
  /// `serverRecord` of a conflict, whose files are not fetched.
  public var fileURL: URL? { state.withLock { $0.fileURL } }

  /// What a server is known to hold of it; nil: nothing.
  var held: HeldAsset? { state.withLock { $0.held } }

  /// Takes a fetched file.
  func receive(_ fileURL: URL) {
    let file = FileIdentity(at: fileURL)
    state.withLock { state in
      state.fileURL = fileURL
      state.held?.file = file
    }
  }

  /// Takes in that a save succeeded, so that a field of the server holds it.
  func settle(_ held: HeldAsset) {
    state.withLock { state in
      state.held = held
      state.receipt = nil
    }
  }

  /// What was got for its bytes where no save has succeeded since.
  var receipt: KeptReceipt? {
    get { state.withLock { $0.receipt } }
    set { state.withLock { $0.receipt = newValue } }
  }

  public override var description: String {
    let state = state.withLock { $0 }
    let size = state.held.map { ", size=\($0.size)" } ?? ""
    return "<CKAsset: fileURL=\(state.fileURL?.path ?? "none")\(size)>"
  }

  private enum CodingKey {
    static let fileURL = "AssetFileURL"
    static let size = "AssetSize"
    static let checksum = "AssetSignature"
    static let recordID = "RecordID"
    static let fieldName = "AssetFieldName"
  }

  public override var classForKeyedArchiver: AnyClass? { ArchiveName.asset.standIn }

  public static var supportsSecureCoding: Bool { true }

  /// Reads an archived asset, ours or Apple's.
  public init?(coder: NSCoder) {
    let fileURL = coder.object(CodingKey.fileURL, of: NSURL.self)?.absoluteURL
    var state = State(fileURL: fileURL?.isFileURL == true ? fileURL : nil)
    if let checksum = coder.data(CodingKey.checksum), let size = coder.integer(CodingKey.size),
      let recordID = coder.object(CodingKey.recordID, of: CKRecordID.self),
      let fieldName = coder.string(CodingKey.fieldName)
    {
      state.held = HeldAsset(
        checksum: checksum.base64EncodedString(), size: Int64(size), recordID: recordID,
        fieldName: fieldName)
    }
    self.state = Mutex(state)
    super.init()
  }

  /// Writes where the file is, and what the server holds; not the bytes.
  public func encode(with coder: NSCoder) {
    let state = state.withLock { $0 }
    coder.encode(present: state.fileURL.map { $0 as NSURL }, forKey: CodingKey.fileURL)
    guard let held = state.held else { return }
    coder.encode(
      present: Data(base64Encoded: held.checksum).map { $0 as NSData }, forKey: CodingKey.checksum)
    coder.encode(Int(held.size), forKey: CodingKey.size)
    coder.encode(held.recordID, forKey: CodingKey.recordID)
    coder.encode(held.fieldName as NSString, forKey: CodingKey.fieldName)
  }
}

extension CKAsset: __CKRecordObjCValue {}

/// What a field of the server holds.
struct HeldAsset: Sendable {
  /// SHA-256 of the contents, in base64.
  let checksum: String
  /// Bytes.
  let size: Int64
  let recordID: CKRecord.ID
  let fieldName: String
  /// Where the bytes can be had, for a while; nil: not known any more.
  var downloadURL: String?
  /// The file of this machine that had the same bytes; nil: none that is known.
  var file: FileIdentity?

  init(
    checksum: String, size: Int64, recordID: CKRecord.ID, fieldName: String,
    downloadURL: String? = nil, file: FileIdentity? = nil
  ) {
    self.checksum = checksum
    self.size = size
    self.recordID = recordID
    self.fieldName = fieldName
    self.downloadURL = downloadURL
    self.file = file
  }
}

/// The receipt of a file that was sent for a save which then failed, so that the next one, after a
/// conflict say, need not send it again.
struct KeptReceipt: Sendable {
  /// Seconds for which it is used again. Choice: well below the server's half a day.
  private static let secondsMax = 14_400.0

  /// Where it is good.
  struct Place: Sendable, Hashable {
    let address: Connection.Address
    let scope: DatabaseScope
    let owner: String
  }

  let wire: Asset
  let file: FileIdentity
  let place: Place
  /// By the connection's clock.
  let made: Double

  func isGood(for file: FileIdentity, at place: Place, now: Double) -> Bool {
    file == self.file && place == self.place && now - made < Self.secondsMax
  }
}

extension FieldValue {
  /// What a record keeps for a field that holds a file, or several; their bytes are not there yet.
  func storedAssets(of recordID: CKRecord.ID, field: String) -> StoredValue? {
    switch self {
    case .asset(let asset):
      return CKAsset(
        held: HeldAsset(
          checksum: asset.fileChecksum, size: asset.size, recordID: recordID, fieldName: field,
          downloadURL: asset.downloadURL))
    case .list(.asset, let values):
      return NSArray(array: values.compactMap { $0.storedAssets(of: recordID, field: field) })
    case .string, .int64, .double, .timestamp, .bytes, .location, .reference, .sealed, .list:
      return nil
    }
  }
}

extension CKRecord {
  /// The assets whose files are still to be fetched.
  var awaitedAssets: [CKAsset] {
    withState { state in
      var awaited: [CKAsset] = []
      for value in state.values.values {
        if let asset = value as? CKAsset {
          awaited.append(asset)
        } else if let list = value as? NSArray, list.firstObject is CKAsset {
          awaited += list.compactMap { $0 as? CKAsset }
        }
      }
      return awaited.filter { $0.fileURL == nil }
    }
  }
}
