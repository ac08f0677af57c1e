import Foundation

/// `encryption/keys`: returns the caller's public key, and the wrapped keys of zones and of shared
/// hierarchies. Apple's service has no such endpoint.
///
/// In the shared database, the caller gets the keys of zones that are shared as a whole, and the
/// keys of the hierarchies in which the caller takes part.
public enum FetchKeys: Endpoint {
  public static let path = "encryption/keys"

  public struct Request: JSONWritable, JSONReadable {
    /// The zones whose keys are requested. The list may be empty.
    public var zones: [ZoneID]
    /// The root of the hierarchy for which the caller wants to create a key, or nil for the zone
    /// itself. ``ZoneKeys/memberKeys`` contains the public keys of the members of this hierarchy or
    /// zone.
    public var rootRecordName: String?
    /// The records whose hierarchies are requested. They may include records of shares.
    public var recordNames: [String]

    public init(
      zones: [ZoneID] = [], rootRecordName: String? = nil, recordNames: [String] = []
    ) {
      self.zones = zones
      self.rootRecordName = rootRecordName
      self.recordNames = recordNames
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("zones", array: zones)
        writer.member("rootRecordName", rootRecordName)
        if !recordNames.isEmpty { writer.member("recordNames", strings: recordNames) }
      }
    }

    public init(json: JSONView) throws(WireError) {
      zones = try json.array("zones")
      rootRecordName = try json.optionalString("rootRecordName")
      recordNames = try json.strings("recordNames") ?? []
    }
  }

  /// A record and the root of the shared hierarchy that contains the record.
  public struct RecordRoot: Sendable, Hashable, JSONWritable, JSONReadable {
    public var recordName: String
    public var rootRecordName: String

    public init(recordName: String, rootRecordName: String) {
      self.recordName = recordName
      self.rootRecordName = rootRecordName
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("recordName", recordName)
        writer.member("rootRecordName", rootRecordName)
      }
    }

    public init(json: JSONView) throws(WireError) {
      recordName = try json.requiredString("recordName")
      rootRecordName = try json.requiredString("rootRecordName")
    }
  }

  /// The keys of one zone and of its shared hierarchies that are wrapped for the caller, or for the
  /// URL of a share. ``keys`` is empty if the zone does not exist or has no such key.
  public struct ZoneKeys: Sendable, Hashable, JSONWritable, JSONReadable {
    public var zoneID: ZoneID
    public var keys: [WrappedZoneKey]
    /// The public keys of the owner and of the participants of the share. The list is empty unless
    /// all keys of the zone or hierarchy are retired, so that the next device must create a key.
    public var memberKeys: [[UInt8]]
    /// The requested records that are in a shared hierarchy whose keys the caller gets.
    public var roots: [RecordRoot] = []

    public init(zoneID: ZoneID, keys: [WrappedZoneKey], memberKeys: [[UInt8]] = []) {
      self.zoneID = zoneID
      self.keys = keys
      self.memberKeys = memberKeys
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("zoneID", zoneID)
        writer.member("keys", array: keys)
        if !memberKeys.isEmpty {
          writer.member("memberKeys", strings: memberKeys.map { Data($0).base64EncodedString() })
        }
        if !roots.isEmpty { writer.member("roots", array: roots) }
      }
    }

    public init(json: JSONView) throws(WireError) {
      guard let zoneID = json["zoneID"] else { throw .missing("zoneID") }
      self.zoneID = try ZoneID(json: zoneID)
      keys = try json.array("keys")
      roots = try json.array("roots")
      memberKeys = try (json.strings("memberKeys") ?? []).map { (text) throws(WireError) in
        guard let data = Data(base64Encoded: text), data.count == UserKey.length else {
          throw .wrongType("memberKeys", expected: "base64 of the right length")
        }
        return Array(data)
      }
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// The caller's record name in the container.
    public var userRecordName: String
    /// The caller's public key. nil means that no device has registered a key.
    public var publicKey: [UInt8]?
    /// One element for each zone of the request, in the order of the request.
    public var zones: [ZoneKeys]

    public init(userRecordName: String, publicKey: [UInt8]?, zones: [ZoneKeys]) {
      self.userRecordName = userRecordName
      self.publicKey = publicKey
      self.zones = zones
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("userRecordName", userRecordName)
        writer.member("publicKey", base64: publicKey)
        writer.member("zones", array: zones)
      }
    }

    public init(json: JSONView) throws(WireError) {
      userRecordName = try json.requiredString("userRecordName")
      publicKey = try json.optionalBytes("publicKey", count: UserKey.length)
      zones = try json.array("zones")
    }
  }
}
