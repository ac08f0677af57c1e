public import Foundation
import Synchronization

/// The key with which requests to S3 are signed.
public struct S3Credentials: Sendable, Hashable {
  public var accessKeyID: String
  var secretAccessKey: String
  /// The token of temporary credentials, or nil.
  var sessionToken: String?

  public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
    self.sessionToken = sessionToken
  }

  /// The reason why there are no credentials, as a sentence for the operator.
  public struct Fault: Error, CustomStringConvertible {
    public let description: String
  }
}

/// The source of the credentials for S3: the environment, or a file in the format of AWS.
///
/// The variables are `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`. Without
/// them, the file is `AWS_SHARED_CREDENTIALS_FILE`, or else `.aws/credentials` in the home folder.
/// Its section is `AWS_PROFILE`, or else `default`.
public final class S3CredentialSource: Sendable {
  private let environment: [String: String]
  private let latest = Mutex<S3Credentials?>(nil)

  public init(environment: [String: String]) { self.environment = environment }

  /// The file with the credentials, or nil if they come from the environment, or if there is no
  /// home folder.
  public var file: URL? {
    if environment["AWS_ACCESS_KEY_ID"] != nil { return nil }
    if let path = environment["AWS_SHARED_CREDENTIALS_FILE"], !path.isEmpty {
      return URL(fileURLWithPath: path)
    }
    return environment["HOME"].map { URL(fileURLWithPath: $0 + "/.aws/credentials") }
  }

  /// Returns the credentials that were read last, or reads them.
  ///
  /// - Throws: ``S3Credentials/Fault``.
  func current() throws(S3Credentials.Fault) -> S3Credentials {
    if let known = latest.withLock(\.self) { return known }
    return try renewed()
  }

  /// Reads the credentials again, because another program may have replaced the file.
  ///
  /// - Throws: ``S3Credentials/Fault``.
  @discardableResult
  public func renewed() throws(S3Credentials.Fault) -> S3Credentials {
    let read = try read()
    latest.withLock { $0 = read }
    return read
  }

  private func read() throws(S3Credentials.Fault) -> S3Credentials {
    if let id = environment["AWS_ACCESS_KEY_ID"] {
      guard let secret = environment["AWS_SECRET_ACCESS_KEY"], !id.isEmpty, !secret.isEmpty else {
        throw S3Credentials.Fault(
          description: "AWS_ACCESS_KEY_ID is set, and so AWS_SECRET_ACCESS_KEY must be set, too")
      }
      return S3Credentials(
        accessKeyID: id, secretAccessKey: secret, sessionToken: environment["AWS_SESSION_TOKEN"])
    }
    guard let file, let text = try? String(contentsOf: file, encoding: .utf8) else {
      let place = file.map { " or the file \($0.path)" } ?? ""
      throw S3Credentials.Fault(
        description: "there are no credentials for S3: set AWS_ACCESS_KEY_ID and "
          + "AWS_SECRET_ACCESS_KEY\(place.isEmpty ? "" : "," + place)")
    }
    let profile = environment["AWS_PROFILE"] ?? "default"
    let values = Self.section(profile, of: text)
    guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"],
      !id.isEmpty, !secret.isEmpty
    else {
      throw S3Credentials.Fault(
        description: "the section [\(profile)] of \(file.path) needs aws_access_key_id and "
          + "aws_secret_access_key")
    }
    return S3Credentials(
      accessKeyID: id, secretAccessKey: secret, sessionToken: values["aws_session_token"])
  }

  /// Returns the values of one section of a file in the format of AWS.
  static func section(_ name: String, of text: String) -> [String: String] {
    var values: [String: String] = [:]
    var isInside = false
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("#") || line.hasPrefix(";") { continue }
      if line.hasPrefix("["), line.hasSuffix("]") {
        isInside = line.dropFirst().dropLast().trimmingCharacters(in: .whitespaces) == name
      } else if isInside, let sign = line.firstIndex(of: "=") {
        let key = line[..<sign].trimmingCharacters(in: .whitespaces).lowercased()
        values[key] = line[line.index(after: sign)...].trimmingCharacters(in: .whitespaces)
      }
    }
    return values
  }
}
