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
    /// nil in a run that was written by hand from other notes.
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

  /// Reads the figures of a run.
  ///
  /// - Throws: ``Failure`` if the file is missing or has another form.
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
