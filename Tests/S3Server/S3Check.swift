import Crypto
import Foundation

/// Checks the signature of requests (AWS Signature Version 4), in the header field `Authorization`
/// or in the query.
struct S3Check {
  let settings: S3Server.Settings
  let now: Int64

  /// Returns the error of a request, or nil if the request is correctly signed.
  func refusal(of call: S3Call) -> S3Reply? {
    call["X-Amz-Signature"] == nil ? refusalOfHeader(call) : refusalOfQuery(call)
  }

  private func refusalOfHeader(_ call: S3Call) -> S3Reply? {
    guard let text = call.headers["authorization"], text.hasPrefix("AWS4-HMAC-SHA256 ") else {
      return .error(403, "AccessDenied", "The request is not signed.")
    }
    var values: [String: String] = [:]
    for part in text.dropFirst("AWS4-HMAC-SHA256 ".count).split(separator: ",") {
      let pair = part.trimmingCharacters(in: .whitespaces).split(separator: "=", maxSplits: 1)
      if pair.count == 2 { values[String(pair[0])] = String(pair[1]) }
    }
    guard let credential = values["Credential"], let names = values["SignedHeaders"],
      let signature = values["Signature"], let stamp = call.headers["x-amz-date"],
      let payload = call.headers["x-amz-content-sha256"]
    else { return .error(400, "AuthorizationHeaderMalformed") }
    if payload != "UNSIGNED-PAYLOAD", payload != Self.hex(SHA256.hash(data: call.body)) {
      return .error(400, "XAmzContentSHA256Mismatch")
    }
    let signed = names.split(separator: ";").map(String.init)
    let unsigned = call.headers.keys.filter { $0.hasPrefix("x-amz-") && !signed.contains($0) }
    guard signed.contains("host"), signed == signed.sorted(), unsigned.isEmpty else {
      return .error(403, "AccessDenied", "These header fields must be signed: \(unsigned)")
    }
    if call.headers["x-amz-security-token"] != settings.sessionToken {
      return .error(403, "InvalidToken")
    }
    return refusal(
      of: call, credential: credential, stamp: stamp, signed: signed, payload: payload,
      query: call.query, signature: signature, secondsMax: 900)
  }

  private func refusalOfQuery(_ call: S3Call) -> S3Reply? {
    guard let credential = call["X-Amz-Credential"], let stamp = call["X-Amz-Date"],
      let names = call["X-Amz-SignedHeaders"], let signature = call["X-Amz-Signature"],
      let seconds = call["X-Amz-Expires"].flatMap({ Int64($0) }), (1...604_800).contains(seconds),
      call["X-Amz-Algorithm"] == "AWS4-HMAC-SHA256"
    else { return .error(400, "AuthorizationQueryParametersError") }
    let signed = names.split(separator: ";").map(String.init)
    guard signed.contains("host"), signed == signed.sorted() else {
      return .error(403, "AccessDenied", "The host must be signed.")
    }
    if call["X-Amz-Security-Token"] != settings.sessionToken {
      return .error(403, "InvalidToken")
    }
    if let time = Self.seconds(stamp), now / 1_000 - time > seconds {
      return .error(403, "AccessDenied", "Request has expired")
    }
    return refusal(
      of: call, credential: credential, stamp: stamp, signed: signed, payload: "UNSIGNED-PAYLOAD",
      query: call.query.filter { $0.name != "X-Amz-Signature" }, signature: signature,
      secondsMax: seconds)
  }

  private func refusal(
    of call: S3Call, credential: String, stamp: String, signed: [String], payload: String,
    query: [(name: String, value: String)], signature: String, secondsMax: Int64
  ) -> S3Reply? {
    let scope = credential.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard scope.count == 5, scope[0] == settings.accessKeyID else {
      return .error(403, "InvalidAccessKeyId")
    }
    guard scope[1] == stamp.prefix(8), scope[2] == settings.region, scope[3] == "s3",
      scope[4] == "aws4_request"
    else { return .error(400, "AuthorizationHeaderMalformed", "The scope is wrong.") }
    guard let time = Self.seconds(stamp), (-900...secondsMax).contains(now / 1_000 - time) else {
      return .error(403, "RequestTimeTooSkewed")
    }
    let fields = signed.map { name in
      let value = (call.headers[name] ?? "").split(separator: " ").joined(separator: " ")
      return "\(name):\(value)\n"
    }
    let text = query.map { "\(Self.escaped($0.name))=\(Self.escaped($0.value))" }.sorted()
    let canonical = """
      \(call.method)
      \(call.path)
      \(text.joined(separator: "&"))
      \(fields.joined())
      \(signed.joined(separator: ";"))
      \(payload)
      """
    let toSign = """
      AWS4-HMAC-SHA256
      \(stamp)
      \(scope[1...].joined(separator: "/"))
      \(Self.hex(SHA256.hash(data: Data(canonical.utf8))))
      """
    var key = Data("AWS4\(settings.secretAccessKey)".utf8)
    for part in Array(scope[1...]) + [toSign] {
      key = Data(
        HMAC<SHA256>.authenticationCode(for: Data(part.utf8), using: SymmetricKey(data: key)))
    }
    return Self.hex(key) == signature ? nil : .error(403, "SignatureDoesNotMatch")
  }

  /// Escapes a text as S3 does: only letters, digits and `-._~` stay unchanged.
  private static func escaped(_ text: String) -> String {
    var allowed = CharacterSet(charactersIn: "-._~")
    allowed.insert(charactersIn: "a"..."z")
    allowed.insert(charactersIn: "A"..."Z")
    allowed.insert(charactersIn: "0"..."9")
    return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
  }

  static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Reads a time such as `20130524T000000Z`, and returns it in seconds since 1970 UTC.
  private static func seconds(_ stamp: String) -> Int64? {
    let digits = Array(stamp.utf8.filter { (48...57).contains($0) }.map { Int32($0) - 48 })
    guard stamp.utf8.count == 16, digits.count == 14 else { return nil }
    func number(_ range: Range<Int>) -> Int32 { digits[range].reduce(0) { $0 * 10 + $1 } }
    var parts = tm()
    (parts.tm_year, parts.tm_mon) = (number(0..<4) - 1_900, number(4..<6) - 1)
    (parts.tm_mday, parts.tm_hour) = (number(6..<8), number(8..<10))
    (parts.tm_min, parts.tm_sec) = (number(10..<12), number(12..<14))
    return Int64(timegm(&parts))
  }
}
