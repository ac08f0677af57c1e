public import Foundation
import StratusArchive
import StratusWire

/// The position in a query's records at which the next page begins. Swift code uses the name
/// `CKQueryOperation.Cursor`.
///
/// The cursor includes the query, so an operation that continues from a cursor needs no query.
public final class CKQueryCursor: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The request, in its wire form, for the next page. It is nil in a cursor that Apple's framework
  /// made, because only Apple's server understands that cursor.
  let request: QueryRecords.Request?
  private let data: Data
  private let zoneID: CKRecordZone.ID?

  /// - Parameter request: contains the marker of the previous page.
  init(_ request: QueryRecords.Request, zoneID: CKRecordZone.ID?) {
    self.request = request
    self.zoneID = zoneID
    data = Data(request.jsonBytes)
  }

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKQueryCursor)?.data == data
  }

  public override var hash: Int { data.hashValue }

  public override var description: String {
    "<CKQueryCursor: zoneID=\(zoneID?.zoneName ?? "all")>"
  }

  public override var classForKeyedArchiver: AnyClass? { ArchiveName.queryCursor.standIn }

  public static var supportsSecureCoding: Bool { true }

  /// Reads an archived cursor; nil if the archive contains no cursor.
  public init?(coder: NSCoder) {
    guard let data = coder.data("CursorData") else { return nil }
    self.data = data
    zoneID = coder.object("ZoneID", of: CKRecordZoneID.self)
    request = try? QueryRecords.Request(jsonBytes: [UInt8](data))
  }

  public func encode(with coder: NSCoder) {
    coder.encode(NSData(data: data), forKey: "CursorData")
    coder.encode(present: zoneID, forKey: "ZoneID")
  }
}
