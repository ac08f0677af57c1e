import ArgumentParser
import Foundation

/// The tokens that cktool's method `file` saves in `~/.config/cktool` or `$XDG_CONFIG_HOME/cktool`.
/// Only the owner of this file can read it.
enum CloudKitToolTokens {
  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case management, user

    var variable: String {
      switch self {
      case .management: "CLOUDKIT_MANAGEMENT_TOKEN"
      case .user: "CLOUDKIT_USER_TOKEN"
      }
    }
  }

  static func location() throws -> URL {
    let variables = ProcessInfo.processInfo.environment
    if let folder = variables["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
      return URL(fileURLWithPath: folder).appendingPathComponent("cktool")
    }
    guard let home = variables["HOME"], !home.isEmpty else {
      throw Failure("there is no home folder for the file .config/cktool; set HOME")
    }
    return URL(fileURLWithPath: home).appendingPathComponent(".config/cktool")
  }

  /// Returns the token in the environment variable, or the saved token, or nil if there is neither.
  static func find(_ kind: Kind) throws -> String? {
    if let token = ProcessInfo.processInfo.environment[kind.variable], !token.isEmpty {
      return token
    }
    return try read()[kind.rawValue]
  }

  static func missing(_ kind: Kind) -> Failure {
    Failure(
      "a \(kind.rawValue) token is missing; give it with --token, set \(kind.variable), or save it "
        + "with 'save-token --type \(kind.rawValue)'")
  }

  /// Reads the saved tokens. Each line of the file contains the kind of a token and the token.
  static func read() throws -> [String: String] {
    let location = try Self.location()
    guard let data = FileManager.default.contents(atPath: location.path) else { return [:] }
    let attributes = try? FileManager.default.attributesOfItem(atPath: location.path)
    let permissions = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
    guard permissions & 0o077 == 0 else {
      throw Failure(
        "others can read '\(location.path)'; run 'chmod 600' on it and replace its tokens")
    }
    var tokens: [String: String] = [:]
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      if words.count == 2 { tokens[String(words[0])] = String(words[1]) }
    }
    return tokens
  }

  static func write(_ tokens: [String: String]) throws {
    let location = try Self.location()
    let files = FileManager.default
    let text = tokens.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined()
    let fresh = location.appendingPathExtension("new")
    do {
      try files.createDirectory(
        at: location.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try? files.removeItem(at: fresh)
      guard
        files.createFile(
          atPath: fresh.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
      else { throw CocoaError(.fileWriteUnknown) }
      try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: fresh.path)
      if files.fileExists(atPath: location.path) { try files.removeItem(at: location) }
      try files.moveItem(at: fresh, to: location)
    } catch {
      throw Failure("the file '\(location.path)' cannot be written; make its folder writable")
    }
  }
}

/// The method with which tokens are saved.
enum TokenMethod: String, ExpressibleByArgument, CaseIterable {
  case file, keychain

  /// - Throws: ``Failure`` for the keychain, which exists only on Apple's systems.
  func require() throws {
    if self == .keychain {
      throw Failure("there is no keychain on this system; leave out --method, or give 'file'")
    }
  }
}

/// `save-token`.
struct SaveTokenVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "save-token", abstract: "Save a token for the other verbs.",
    discussion: """
      If the token is not given, the command reads it from standard input, because other users of \
      the machine can read a command line.
      """)

  @Argument(help: "The token. Default: a line of standard input.")
  var token: String?

  @Option(help: "The kind of token: management or user.")
  var type: CloudKitToolTokens.Kind = .management

  @Option(help: "Where tokens are saved. The only value is file, because there is no keychain.")
  var method: TokenMethod = .file

  @Flag(help: "Replace a saved token without confirmation.")
  var force = false

  func run() async throws {
    try method.require()
    var tokens = try CloudKitToolTokens.read()
    if tokens[type.rawValue] != nil, !force {
      throw Failure("a \(type.rawValue) token is saved already; --force replaces it")
    }
    let given = (token ?? readLine(strippingNewline: true) ?? "")
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard !given.isEmpty, !given.contains(where: \.isWhitespace) else {
      throw Failure("the token is missing; write it on standard input")
    }
    tokens[type.rawValue] = given
    try CloudKitToolTokens.write(tokens)
  }
}

/// `remove-token`.
struct RemoveTokenVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-token", abstract: "Remove a saved token.")

  @Option(help: "The kind of token: management or user.")
  var type: CloudKitToolTokens.Kind

  @Option(help: "Where tokens are saved. The only value is file, because there is no keychain.")
  var method: TokenMethod = .file

  @Flag(help: "Accepted for scripts. A token is always removed without confirmation.")
  var force = false

  func run() async throws {
    try method.require()
    var tokens = try CloudKitToolTokens.read()
    guard tokens.removeValue(forKey: type.rawValue) != nil else {
      throw Failure("no \(type.rawValue) token is saved; nothing was removed")
    }
    try CloudKitToolTokens.write(tokens)
  }
}
