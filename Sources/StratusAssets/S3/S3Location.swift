import Foundation

/// The location of assets in S3-compatible storage, as an address:
/// `s3://bucket/prefix?endpoint=https://host:port&region=name`.
///
/// The query of the address may contain these values:
///
/// | name | meaning |
/// |---|---|
/// | `endpoint` | the address of the storage; without it, Amazon S3 in the region |
/// | `region` | the region that requests are signed for; `us-east-1` without it |
/// | `path-style` | `yes` (default with `endpoint`): the bucket is in the path; `no`: in the host |
/// | `plaintext` | `yes` allows an endpoint on another machine without TLS |
/// | `presigned-downloads` | `yes`: clients download files from the storage, without the server |
public struct S3Location: Sendable, Hashable {
  /// The reason why a text is not a location, as a sentence for the operator.
  public struct Fault: Error, CustomStringConvertible {
    public let description: String
  }

  public let bucket: String
  /// The text with which all keys begin, or an empty text. It neither begins nor ends with a slash.
  public let prefix: String
  public let region: String
  /// The scheme of the endpoint, `http` or `https`.
  let scheme: String
  /// The host of the endpoint, with the port unless it is the default of the scheme.
  let endpointHost: String
  /// Whether the bucket is the first part of the path. Otherwise it is part of the host name.
  let isPathStyle: Bool
  /// Whether download URLs lead to the storage. Otherwise they lead to the server.
  public let presignsDownloads: Bool

  /// - Throws: ``Fault``.
  public init(_ text: String) throws(Fault) {
    guard text.hasPrefix("s3://"), let parts = URLComponents(string: text), let bucket = parts.host,
      parts.user == nil, parts.password == nil, parts.port == nil, parts.fragment == nil
    else { throw Fault(description: "--assets needs an address such as s3://bucket/prefix") }
    guard Self.isBucket(bucket) else {
      throw Fault(description: "'\(bucket)' in --assets is not the name of a bucket")
    }
    let prefix = parts.path.split(separator: "/").joined(separator: "/")
    guard prefix.utf8.count <= 200, prefix.utf8.allSatisfy(Self.isPlain),
      !prefix.split(separator: "/").contains(where: { $0.hasPrefix(".") })
    else {
      throw Fault(
        description: "the prefix in --assets may contain letters, digits, '-', '_', '.' and '/'")
    }
    var values: [String: String] = [:]
    for item in parts.queryItems ?? [] {
      guard Self.names.contains(item.name), let value = item.value, !value.isEmpty
      else { throw Fault(description: "--assets has no value named '\(item.name)'") }
      values[item.name] = value
    }
    self.bucket = bucket
    self.prefix = prefix
    region = values["region"] ?? "us-east-1"
    guard (1...64).contains(region.utf8.count), region.utf8.allSatisfy(Self.isPlain),
      !region.contains("/")
    else { throw Fault(description: "'\(region)' in --assets is not the name of a region") }
    let endpoint = values["endpoint"] ?? "https://s3.\(region).amazonaws.com"
    (scheme, endpointHost) = try Self.endpoint(
      endpoint, allowsPlaintext: try Self.isYes("plaintext", values) ?? false)
    isPathStyle = try Self.isYes("path-style", values) ?? (values["endpoint"] != nil)
    presignsDownloads = try Self.isYes("presigned-downloads", values) ?? false
  }

  /// The names in the query of an address.
  private static let names: Set = [
    "endpoint", "region", "path-style", "plaintext", "presigned-downloads",
  ]

  /// The host of all requests, as in the header field `Host`.
  var host: String { isPathStyle ? endpointHost : "\(bucket).\(endpointHost)" }

  /// Returns the path of an object, or of the bucket itself if `key` is nil.
  func path(ofKey key: String?) -> String {
    let object = key.map { "/" + $0 } ?? ""
    guard isPathStyle else { return object.isEmpty ? "/" : object }
    return "/" + bucket + object
  }

  /// Returns a key that begins with the prefix.
  func key(_ name: String) -> String { prefix.isEmpty ? name : prefix + "/" + name }

  /// The location as it appears in messages.
  public var shown: String {
    "\(place) at \(scheme)://\(endpointHost)"
  }

  /// The bucket and the prefix as an address without a query.
  public var place: String { "s3://\(bucket)\(prefix.isEmpty ? "" : "/" + prefix)" }

  private static func isYes(
    _ name: String, _ values: [String: String]
  ) throws(Fault) -> Bool? {
    switch values[name] {
    case nil: return nil
    case "yes": return true
    case "no": return false
    case .some: throw Fault(description: "'\(name)' in --assets must be yes or no")
    }
  }

  private static func endpoint(
    _ text: String, allowsPlaintext: Bool
  ) throws(Fault) -> (scheme: String, host: String) {
    guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
      ["http", "https"].contains(scheme), let host = url.host?.lowercased(), !host.isEmpty,
      url.user == nil, url.password == nil, url.path.isEmpty || url.path == "/", url.query == nil
    else {
      throw Fault(
        description: "the endpoint in --assets must be a scheme and a host, such as "
          + "https://s3.example.org, without a path or a user")
    }
    let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    if scheme == "http", !allowsPlaintext, !["localhost", "::1"].contains(bare),
      !bare.hasPrefix("127.")
    {
      throw Fault(
        description: "the endpoint in --assets must begin with https://, because the bytes of "
          + "assets would not be encrypted; plaintext=yes allows this")
    }
    let shown = bare.contains(":") ? "[\(bare)]" : bare
    let usual = scheme == "https" ? 443 : 80
    guard let port = url.port, port != usual else { return (scheme, shown) }
    guard (1...65_535).contains(port) else {
      throw Fault(description: "the port of the endpoint in --assets must be 1 to 65535")
    }
    return (scheme, "\(shown):\(port)")
  }

  /// Whether a text has the form of a bucket's name: 3 to 63 lower-case letters, digits, `-` and
  /// `.`, with a letter or a digit at both ends.
  private static func isBucket(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    let isInside = { (byte: UInt8) in
      byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || isLowerOrDigit(byte)
    }
    guard (3...63).contains(bytes.count), bytes.allSatisfy(isInside), !name.contains(".."),
      let first = bytes.first, let last = bytes.last
    else { return false }
    return isLowerOrDigit(first) && isLowerOrDigit(last)
  }

  private static func isLowerOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Whether a byte needs no escape in the path of a URL.
  private static func isPlain(_ byte: UInt8) -> Bool {
    isLowerOrDigit(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      || "-_./".utf8.contains(byte)
  }
}
