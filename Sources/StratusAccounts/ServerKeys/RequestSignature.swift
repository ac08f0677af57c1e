import Crypto
import Foundation
import StratusDomain

/// The signature of a request, read from its three header fields.
struct RequestSignature {
  let keyID: String
  /// The date as the header field states it. This text is a part of the signed text.
  let dateText: String
  /// The date in milliseconds since 1970 UTC.
  let date: Int64
  let signature: P256.Signing.ECDSASignature

  /// The maximum length of a signature's base64 text. The longest signature has 72 bytes, so its
  /// text is shorter.
  private static let textLengthMax = 128

  /// - Parameter headers: the header fields, by their names in lower case.
  /// - Returns: nil if one of the three header fields is missing or malformed.
  init?(headers: [String: String]) {
    let names = AdmissionRequest.signatureHeaderNames
    guard let keyID = headers[names[0]], Self.isKeyID(keyID),
      let dateText = headers[names[1]], let date = Self.milliseconds(dateText),
      let text = headers[names[2]], text.utf8.count <= Self.textLengthMax,
      let bytes = Data(base64Encoded: text),
      let signature = try? P256.Signing.ECDSASignature(derRepresentation: bytes)
    else { return nil }
    self.keyID = keyID
    self.dateText = dateText
    self.date = date
    self.signature = signature
  }

  /// Whether the signature was made with this key, for one of ``texts(target:body:)``.
  ///
  /// - Parameters:
  ///   - target: the path and query as received.
  ///   - body: the bytes of the body as received.
  func isValid(
    for key: P256.Signing.PublicKey, target: String, body: [UInt8]
  ) -> Bool {
    texts(target: target, body: body).contains { key.isValidSignature(signature, for: $0) }
  }

  /// The texts that a client may have signed, the most frequent one first.
  ///
  /// - The path is the request's path, with the query or without it. OpenCloudKit signs the path
  ///   without the query and without percent encoding.
  /// - The body is represented by the base64 text of its hash. MistKit signs an empty text for an
  ///   empty body.
  func texts(target: String, body: [UInt8]) -> [Data] {
    let hash = Data(SHA256.hash(data: Data(body))).base64EncodedString()
    let hashes = body.isEmpty ? [hash, ""] : [hash]
    var paths = [target]
    if let mark = target.firstIndex(of: "?") { paths.append(String(target[..<mark])) }
    if let path = paths.last, let plain = path.removingPercentEncoding, plain != path {
      paths.append(plain)
    }
    return paths.flatMap { path in
      hashes.map { Data("\(dateText):\($0):\(path)".utf8) }
    }
  }

  private static func isKeyID(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// Reads a date of the form `2016-01-25T22:15:43Z`.
  ///
  /// - Returns: milliseconds since 1970 UTC, or nil for another format or a day that does not
  ///   exist.
  static func milliseconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    let form = Array("0000-00-00T00:00:00Z".utf8)
    guard bytes.count == form.count else { return nil }
    for (byte, pattern) in zip(bytes, form) {
      let isDigit = (0x30...0x39).contains(byte)
      guard pattern == UInt8(ascii: "0") ? isDigit : byte == pattern else { return nil }
    }
    func number(_ range: Range<Int>) -> Int64 {
      bytes[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
    guard (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour < 24,
      minute < 60, second < 60
    else { return nil }
    let seconds = days(toYear: year, month: month, day: day) * 86_400
    return (seconds + hour * 3_600 + minute * 60 + second) * 1_000
  }

  private static func days(in month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns the days since 1970. The computation lets a year begin in March, so that the leap day
  /// is its last day.
  private static func days(toYear year: Int64, month: Int64, day: Int64) -> Int64 {
    let marchYear = month < 3 ? year - 1 : year
    let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
