import Crypto
import Foundation

/// Signs requests to S3 (AWS Signature Version 4).
///
/// See *Authenticating Requests (AWS Signature Version 4)* in the Amazon S3 API Reference.
struct S3Signature {
  let credentials: S3Credentials
  let region: String
  /// The time of the request, in milliseconds since 1970 UTC.
  let time: Int64

  /// Returns the header fields that sign a request, including `headers`.
  ///
  /// - Parameters:
  ///   - path: the path, in which all characters are unreserved or slashes.
  ///   - headers: the header fields to sign. Their names are in lower case.
  ///   - payloadHash: the SHA-256 of the body in hex digits.
  func signedHeaders(
    method: String, path: String, query: [(name: String, value: String)],
    headers: [(name: String, value: String)], payloadHash: String
  ) -> [(name: String, value: String)] {
    var signed = headers
    signed.append((name: "x-amz-content-sha256", value: payloadHash))
    signed.append((name: "x-amz-date", value: Self.stamp(time)))
    if let token = credentials.sessionToken {
      signed.append((name: "x-amz-security-token", value: token))
    }
    signed.sort { $0.name < $1.name }
    let names = signed.map(\.name).joined(separator: ";")
    let signature = signature(
      method: method, path: path, query: Self.queryText(query), headers: signed,
      payloadHash: payloadHash)
    signed.append(
      (
        name: "authorization",
        value: "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope),"
          + "SignedHeaders=\(names),Signature=\(signature)"
      ))
    return signed
  }

  /// Returns a query that signs a request without a body, including `query`. Everyone can send the
  /// request from the time of the signature on, until it expires. The credentials must have no
  /// session token.
  ///
  /// See *Authenticating Requests: Using Query Parameters* in the Amazon S3 API Reference.
  ///
  /// - Parameters:
  ///   - path: the path, in which all characters are unreserved or slashes.
  ///   - host: the header field `Host`, which is the only signed header field.
  ///   - seconds: the time until the request expires, at most ``expirySecondsMax``.
  func signedQuery(
    method: String, path: String, query: [(name: String, value: String)], host: String,
    seconds: Int64
  ) -> String {
    var signed = query
    signed.append((name: "X-Amz-Algorithm", value: "AWS4-HMAC-SHA256"))
    signed.append((name: "X-Amz-Credential", value: "\(credentials.accessKeyID)/\(scope)"))
    signed.append((name: "X-Amz-Date", value: Self.stamp(time)))
    signed.append((name: "X-Amz-Expires", value: "\(min(seconds, Self.expirySecondsMax))"))
    signed.append((name: "X-Amz-SignedHeaders", value: "host"))
    let text = Self.queryText(signed)
    let signature = signature(
      method: method, path: path, query: text, headers: [(name: "host", value: host)],
      payloadHash: "UNSIGNED-PAYLOAD")
    return "\(text)&X-Amz-Signature=\(signature)"
  }

  /// The maximum number of seconds until a signed query expires. S3 accepts no more.
  static let expirySecondsMax: Int64 = 604_800

  private var day: String { String(Self.stamp(time).prefix(8)) }

  private var scope: String { "\(day)/\(region)/s3/aws4_request" }

  private func signature(
    method: String, path: String, query: String, headers: [(name: String, value: String)],
    payloadHash: String
  ) -> String {
    let fields = headers.map { "\($0.name):\($0.value)\n" }.joined()
    let names = headers.map(\.name).joined(separator: ";")
    let request = [method, path, query, fields, names, payloadHash].joined(separator: "\n")
    let text = ["AWS4-HMAC-SHA256", Self.stamp(time), scope, Self.hash(Array(request.utf8))]
      .joined(separator: "\n")
    var key = SymmetricKey(data: Array("AWS4\(credentials.secretAccessKey)".utf8))
    for part in [day, region, "s3", "aws4_request"] {
      key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
    }
    return Self.hex(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
  }

  /// Returns a query whose names are sorted, and whose special characters are escaped as S3
  /// expects.
  static func queryText(_ query: [(name: String, value: String)]) -> String {
    query.map { (name: escaped($0.name), value: escaped($0.value)) }
      .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
      .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  }

  /// Escapes all bytes except the unreserved ones of RFC 3986.
  private static func escaped(_ text: String) -> String {
    var escaped: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        escaped.append(byte)
      case _:
        escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  static func hash(_ bytes: [UInt8]) -> String { hex(SHA256.hash(data: bytes)) }

  static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Returns a time such as `20130524T000000Z`.
  static func stamp(_ time: Int64) -> String {
    var seconds = time_t(time / 1_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func text(_ value: Int32) -> String { (value < 10 ? "0" : "") + "\(value)" }
    return "\(parts.tm_year + 1_900)\(text(parts.tm_mon + 1))\(text(parts.tm_mday))T"
      + "\(text(parts.tm_hour))\(text(parts.tm_min))\(text(parts.tm_sec))Z"
  }
}
