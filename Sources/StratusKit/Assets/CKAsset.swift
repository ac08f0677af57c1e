public import Foundation
import StratusArchive
import StratusTransport
import StratusWire
import Synchronization

/// A file in a field of a record. Only the bytes are stored, without a name or attributes.
///
/// An asset belongs to one record. To store a file in two records, make two assets. Two assets are
/// never equal. A fetched file lies in a cache folder that is cleaned up later; move the file to
/// keep it.
public final class CKAsset: NSObject, NSSecureCoding, @unchecked Sendable {
  private struct State {
    var fileURL: URL?
    var held: HeldAsset?
    var receipt: KeptReceipt?
  }

  private let state: Mutex<State>

  /// Makes an asset of a local file, which is read when the record is saved. A URL that is not a
  /// file URL is a programmer error.
  public init(fileURL: URL) {
    precondition(fileURL.isFileURL, "an asset needs the URL of a file")
    state = Mutex(State(fileURL: fileURL))
    super.init()
  }

  /// Makes an asset whose bytes are only on the server.
  init(held: HeldAsset) {
    state = Mutex(State(held: held))
    super.init()
  }

  /// The location of the bytes: the URL from the initialiser, or the URL of the fetched file. The
  /// URL is nil if the file was not fetched. The files in the `serverRecord` of a conflict are
  /// never fetched.
  public var fileURL: URL? { state.withLock { $0.fileURL } }

  /// The last known copy of the file on the server; nil if none is known.
  var held: HeldAsset? { state.withLock { $0.held } }

  /// Sets the location of the fetched file.
  func receive(_ fileURL: URL) {
    let file = FileIdentity(at: fileURL)
    state.withLock { state in
      state.fileURL = fileURL
      state.held?.file = file
    }
  }

  /// Updates the asset after a successful save: a field on the server now holds the file.
  func settle(_ held: HeldAsset) {
    state.withLock { state in
      state.held = held
      state.receipt = nil
    }
  }

  /// The receipt of an upload that no successful save has used yet.
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

  /// Reads an archived asset, from Stratus or from Apple's framework.
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

  /// Archives the file's location, and the checksum, size and field of the server's copy. The bytes
  /// are not archived.
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

/// The server's copy of a file in a field.
struct HeldAsset: Sendable {
  /// The SHA-256 checksum of the contents, in base64.
  let checksum: String
  /// The size of the file in bytes.
  let size: Int64
  let recordID: CKRecord.ID
  let fieldName: String
  /// The download address, which is valid for a limited time; nil if none is known.
  var downloadURL: String?
  /// The local file with the same bytes; nil if none is known.
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

/// The receipt of an uploaded file that no successful save has used yet, for example because the
/// save failed with a conflict. The next save can use the receipt instead of uploading the file
/// again.
struct KeptReceipt: Sendable {
  /// The maximum age of a receipt in seconds. Choice: four hours, because the server accepts a
  /// receipt for half a day.
  private static let secondsMax = 14_400.0

  /// The server and database in which the receipt is valid.
  struct Origin: Sendable, Hashable {
    let address: Connection.Address
    let scope: DatabaseScope
    let owner: String
  }

  let wire: Asset
  let file: FileIdentity
  let origin: Origin
  /// The creation time in seconds on the connection's clock.
  let made: Double

  func isGood(for file: FileIdentity, at origin: Origin, now: Double) -> Bool {
    file == self.file && origin == self.origin && now - made < Self.secondsMax
  }
}

extension FieldValue {
  /// The value that a record stores for a field with one or several files; nil for a value without
  /// files. The files are not fetched yet.
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
  /// The assets whose files must still be fetched.
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
