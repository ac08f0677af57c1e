import ArgumentParser
import Foundation
import Yams

/// A configuration file in YAML. Each setting has the name of an option of `stratus serve`.
struct ConfigFile {
  /// A setting, which is one line of the file, or several lines for a list.
  struct Setting: Equatable {
    let name: String
    let values: [String]
    let line: Int

    /// NB: an equals sign joins the name and the value, so that a value may begin with a hyphen.
    var arguments: [String] { values.map { "--\(name)=\($0)" } }
  }

  /// A fault in the file, with its line.
  struct Fault: Error, Equatable, CustomStringConvertible {
    let path: String
    let line: Int
    let sentence: String

    var description: String { "\(path):\(line): \(sentence)" }
  }

  /// The maximum size of a file. No configuration is larger, and a large file that was named by
  /// mistake is refused quickly.
  private static let bytesMax = 1_048_576

  let path: String
  let settings: [Setting]

  /// Reads a file.
  ///
  /// - Throws: ``Failure`` if the file cannot be read, or ``Fault`` if it is malformed.
  init(path: String) throws {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Failure("the configuration file '\(path)' cannot be read; check its name and rights")
    }
    guard data.count <= Self.bytesMax, let text = String(data: data, encoding: .utf8) else {
      throw Failure("'\(path)' is not a configuration file; give the file's name")
    }
    try self.init(path: path, text: text)
  }

  /// - Throws: ``Fault``.
  init(path: String, text: String) throws(Fault) {
    self.path = path
    let root: Node?
    do { root = try Yams.compose(yaml: text) } catch { throw Self.fault(error, path) }
    guard let root else {
      settings = []
      return
    }
    func fault(_ node: Node, _ sentence: String) -> Fault {
      Fault(path: path, line: node.mark?.line ?? 1, sentence: sentence)
    }
    if case .scalar(let scalar) = root, Self.isNothing(scalar) {
      settings = []
      return
    }
    guard case .mapping(let mapping) = root else {
      throw fault(root, "the file contains no settings; write each as 'name: value'")
    }
    var settings: [Setting] = []
    for (key, value) in mapping {
      guard case .scalar(let name) = key, Self.isName(name.string) else {
        throw fault(key, "a setting's name is that of an option, such as 'public-url'")
      }
      let values: [String]
      switch value {
      case .scalar(let scalar):
        guard !Self.isNothing(scalar) else {
          throw fault(key, "'\(name.string)' has no value; give one, or delete the line")
        }
        values = [scalar.string]
      case .sequence(let sequence):
        guard ServeCommand.repeatedOptions.contains(name.string) else {
          throw fault(key, "'\(name.string)' takes one value, not a list")
        }
        let texts = sequence.compactMap(\.scalar).filter { !Self.isNothing($0) }.map(\.string)
        guard texts.count == sequence.count else {
          throw fault(key, "the list of '\(name.string)' may hold only texts")
        }
        values = texts
      case .mapping, .alias:
        throw fault(key, "'\(name.string)' takes a value; settings have no groups")
      }
      settings.append(Setting(name: name.string, values: values, line: key.mark?.line ?? 1))
    }
    self.settings = settings
  }

  private static func isName(_ text: String) -> Bool {
    text.wholeMatch(of: /[a-z][a-z0-9]*(-[a-z0-9]+)*/) != nil
  }

  private static func isNothing(_ scalar: Node.Scalar) -> Bool {
    scalar.style == .plain && ["", "~", "null"].contains(scalar.string)
  }

  private static func fault(_ error: any Error, _ path: String) -> Fault {
    switch error as? YamlError {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      Fault(
        path: path, line: mark.line,
        sentence: "\(problem); write each setting as 'name: value', and quote texts if necessary")
    case .duplicatedKeysInMapping(let names, let context):
      Fault(
        path: path, line: context.mark.line,
        sentence: "'\(names.first ?? "a setting")' is in the file twice; delete one")
    default: Fault(path: path, line: 1, sentence: "the file is not YAML")
    }
  }
}

extension ConfigFile {
  /// The faults of single settings (unknown names and impossible values), in the order of the file.
  var faults: [Fault] {
    settings.compactMap { setting in
      if Self.reserved.contains(setting.name) {
        return fault(setting, "'\(setting.name)' belongs on the command line only")
      }
      // For a list without values, an invented value is checked. The check finds unknown names.
      let arguments = setting.values.isEmpty ? ["--\(setting.name)=x"] : setting.arguments
      do {
        _ = try ServeCommand.parse(arguments)
        return nil
      } catch {
        return fault(setting, sentence(ServeCommand.message(for: error)))
      }
    }
  }

  private static let reserved: Set = ["config", "help", "version"]

  /// Returns the command with the settings of the file. An option on the command line replaces the
  /// setting with the same name.
  ///
  /// - Parameter arguments: the arguments of the command line after `serve`.
  /// - Throws: ``Fault``.
  func command(with arguments: [String]) throws -> ServeCommand {
    if let first = faults.first { throw first }
    let remaining = settings.filter { setting in
      !arguments.contains { $0 == "--\(setting.name)" || $0.hasPrefix("--\(setting.name)=") }
    }
    return try ServeCommand.parse(remaining.flatMap(\.arguments) + arguments)
  }

  /// Some failures only show when all settings are combined. This method converts such a failure
  /// into a fault of the file.
  ///
  /// - Returns: nil if the failure does not concern a setting of the file.
  func fault(of failure: Failure) -> Fault? {
    let named = settings.filter { setting in
      failure.description.matches(of: /--([a-z0-9-]+)/).contains { $0.output.1 == setting.name }
    }
    return named.first.map { fault($0, sentence(failure.description)) }
  }

  private func fault(_ setting: Setting, _ sentence: String) -> Fault {
    Fault(path: path, line: setting.line, sentence: sentence)
  }

  /// Rewrites an error message about a command-line option as a message about a setting of the
  /// file.
  private func sentence(_ message: String) -> String {
    var text =
      message
      .replacing(/'--([a-z0-9-]+)(?:=[^']*)?( <[^>]*>)?'/) { "'\($0.output.1)'" }
      .replacing(/--([a-z0-9-]+)/) { "\($0.output.1)" }
      .replacing("Unknown option", with: "there is no setting")
    if let first = text.first { text = first.lowercased() + text.dropFirst() }
    return text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
