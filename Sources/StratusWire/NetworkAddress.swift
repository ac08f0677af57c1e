import Foundation

/// An IPv4 or IPv6 address.
public struct NetworkAddress: Sendable, Hashable, CustomStringConvertible {
  /// The 16 bytes of an IPv6 address. An IPv4 address is mapped to IPv6 (`::ffff:0:0/96`).
  let bytes: [UInt8]
  /// The address as it was written, without a zone or brackets.
  public let description: String

  /// The first bytes of an IPv6 address that represents an IPv4 address.
  private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

  /// - Returns: nil if the text is not an address.
  public init?(_ text: String) {
    let plain = text.prefix { $0 != "%" }
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, String(plain), &four) == 1 {
      bytes = Self.mapped + withUnsafeBytes(of: four) { Array($0) }
    } else if inet_pton(AF_INET6, String(plain), &six) == 1 {
      bytes = withUnsafeBytes(of: six) { Array($0) }
    } else {
      return nil
    }
    description = String(plain)
  }

  /// Reads an address as proxies write it: `192.0.2.7`, `192.0.2.7:4711`, `2001:db8::1`,
  /// `[2001:db8::1]` or `[2001:db8::1]:4711`.
  public init?(withPort text: some StringProtocol) {
    var rest = text.drop { $0 == " " || $0 == "\t" }
    while let last = rest.last, last == " " || last == "\t" { rest = rest.dropLast() }
    guard rest.utf8.count <= 60 else { return nil }
    if rest.first == "[" {
      self.init(String(rest.dropFirst().prefix { $0 != "]" }))
    } else if rest.filter({ $0 == ":" }).count == 1 {
      self.init(String(rest.prefix { $0 != ":" }))
    } else {
      self.init(String(rest))
    }
  }

  /// Whether the address is an IPv4 address.
  public var isIPv4: Bool { bytes.starts(with: Self.mapped) }

  /// A text that identifies one customer of a provider, for limits. It is an IPv4 address, or the
  /// first 64 bits of an IPv6 address.
  public var subscriber: String {
    if isIPv4 { return bytes.suffix(4).map { String($0) }.joined(separator: ".") }
    return prefix(bytes: 8)
  }

  /// The first 48 bits of an IPv6 address, of which a provider gives a site at most one; nil for an
  /// IPv4 address.
  public var site: String? { isIPv4 ? nil : prefix(bytes: 6) }

  private func prefix(bytes count: Int) -> String {
    let digits = bytes.prefix(count).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return digits.joined() + "/\(8 * count)"
  }
}

extension NetworkAddress {
  /// The ``subscriber`` of an address in any spelling; the text itself if it is no address.
  public static func subscriber(of text: String) -> String {
    NetworkAddress(text)?.subscriber ?? text
  }
}

/// A range of addresses, such as `10.0.0.0/8`.
public struct AddressRange: Sendable, Hashable {
  private let first: NetworkAddress
  /// The number of leading bits, of 128, that all addresses of the range share.
  private let bits: Int

  /// - Parameter text: an address, or an address and the number of its leading bits.
  /// - Returns: nil if the text is neither.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = NetworkAddress(String(parts[0])) else { return nil }
    let length = first.isIPv4 && !parts[0].contains(":") ? 32 : 128
    var bits = length
    if parts.count == 2 {
      guard let number = Int(parts[1]), (0...length).contains(number),
        parts[1].allSatisfy(\.isNumber)
      else { return nil }
      bits = number
    }
    self.first = first
    self.bits = bits + 128 - length
  }

  /// Whether an address lies in the range. An IPv4 address and its mapping to IPv6 count as equal.
  public func contains(_ address: NetworkAddress) -> Bool {
    for index in 0..<16 {
      let shared = min(max(bits - 8 * index, 0), 8)
      let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - shared))
      if (first.bytes[index] ^ address.bytes[index]) & mask != 0 { return false }
    }
    return true
  }
}
