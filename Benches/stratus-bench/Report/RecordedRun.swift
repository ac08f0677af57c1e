import Foundation

/// A run's figures, as `--json` writes them.
struct RecordedRun: Decodable {
  struct Machine: Decodable {
    let cores: Int
    let model: String
    let rounds: Int
  }

  struct Job: Decodable {
    let job: String
    /// The figure as a number, or nil if the file was written by hand and not by `--json`.
    let figure: Double?
    let unit: String
    let comparisons: [Comparison]
  }

  struct Comparison: Decodable {
    let name: String
    let value: Double
    let atLeast: Double?
  }

  let machine: Machine
  let jobs: [Job]

  /// Reads the figures of a run from a file.
  ///
  /// - Throws: ``Failure`` if the file is missing or has another format.
  static func read(_ file: String) throws -> RecordedRun {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw Failure("there is no file \(file): give the file that --json wrote")
    }
    return try decoded(data)
  }

  static func decoded(_ data: Data) throws -> RecordedRun {
    do { return try JSONDecoder().decode(RecordedRun.self, from: data) } catch {
      throw Failure("the run cannot be read: give a file that --json wrote (\(error))")
    }
  }
}
