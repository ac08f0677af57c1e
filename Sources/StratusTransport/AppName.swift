import Foundation
import StratusWire

/// The name and version of the app. Each request contains them in its header field `User-Agent`.
/// For each name and version, the server counts the requests that failed because production lacks a
/// record type, field or index.
enum AppName {
  /// The value of `User-Agent`, for example `Notes/42 Stratus/0.1.0`.
  ///
  /// The version comes from the app's bundle. Without a bundle, as on Linux, it comes from
  /// `STRATUS_APP_VERSION`.
  static let userAgent: String = {
    let version =
      Bundle.main.infoDictionary?["CFBundleVersion"] as? String
      ?? ProcessInfo.processInfo.environment["STRATUS_APP_VERSION"] ?? "0"
    let name = ProcessInfo.processInfo.processName
    return "\(token(name))/\(token(version)) Stratus/\(ServerVersion.current)"
  }()

  /// Returns a text without the characters that separate parts of the header field (RFC 9110
  /// §10.1.5).
  private static func token(_ text: String) -> String {
    let kept = text.utf8.filter { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: "+"):
        true
      default: false
      }
    }
    return kept.isEmpty ? "app" : String(decoding: kept.prefix(40), as: UTF8.self)
  }
}
