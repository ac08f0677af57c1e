public import Foundation
import StratusArchive
import StratusWire

/// Where a query's page ended. `CKQueryOperation.Cursor` in Swift.
///
/// It holds the query, too, so an operation made from it needs no other.
public final class CKQueryCursor: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The next page's request, as the wire has it; nil in a cursor of Apple's framework, which
  /// only its own server understands.
  let request: QueryRecords.Request?
  private let data: Data
  private let zoneID: CKRecordZone.ID?

  /// - Parameter request: with the marker of the page before.
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

  /// Reads an archived cursor; nil if it holds nothing.
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
