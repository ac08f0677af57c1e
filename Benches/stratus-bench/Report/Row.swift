/// A comparison of a figure with another value.
struct Comparison {
  /// The goal of a compared figure.
  enum Goal {
    case atLeast(Double)
    case atMost(Double)
  }

  let name: String
  var value: Double
  let goal: Goal?

  /// Whether the goal is met, or nil if there is no goal.
  var isMet: Bool? {
    switch goal {
    case .atLeast(let bound): value >= bound
    case .atMost(let bound): value <= bound
    case nil: nil
    }
  }

  /// Compares the rate of one load with the rate of another load, as a ratio.
  static func ratio(
    _ load: LoadGenerator.Load, _ name: String, _ floor: LoadGenerator.Load,
    atLeast goal: Double? = nil
  ) -> Comparison {
    Comparison(
      name: "of \(name)", value: load.requestsPerSecond / floor.requestsPerSecond,
      goal: goal.map { .atLeast($0) })
  }
}

/// One job and its result.
struct Row {
  let job: String
  var figure: Double
  let unit: String
  /// The server's processor time for each request or record, or nil if it was not measured.
  var processorMicroseconds: Double?
  /// The latencies in milliseconds, or nil if they were not measured.
  var latencies: (p50: Double, p99: Double)?
  var comparisons: [Comparison] = []

  init(_ job: String, rate: Double, unit: String) {
    self.job = job
    figure = rate
    self.unit = unit
  }

  init(_ job: String, _ load: LoadGenerator.Load, _ comparisons: [Comparison] = []) {
    self.job = job
    figure = load.requestsPerSecond
    unit = "requests/s"
    processorMicroseconds = load.processorTimePerRequest
    latencies = (
      Double(load.latencies.percentile(0.5)) / 1e6, Double(load.latencies.percentile(0.99)) / 1e6
    )
    self.comparisons = comparisons
  }

  /// Creates a row from latencies. It contains the latency at some percentiles, each with its goal.
  ///
  /// - Parameter latencies: the latencies in nanoseconds, sorted.
  init(_ job: String, latencies: [Int64], goals: [(share: Double, name: String, most: Double)]) {
    self.init(job, rate: Double(latencies.percentile(0.5)) / 1e6, unit: "ms, p50")
    comparisons = goals.map { goal in
      Comparison(
        name: "ms, \(goal.name)", value: Double(latencies.percentile(goal.share)) / 1e6,
        goal: .atMost(goal.most))
    }
  }

  /// Returns, for each figure, the median of the rounds.
  static func medians(of rounds: [[Row]]) -> [Row] {
    guard let first = rounds.first else { return [] }
    return first.indices.map { index in
      let rows = rounds.map { $0[index] }
      var row = first[index]
      row.figure = rows.map(\.figure).median
      if row.processorMicroseconds != nil {
        row.processorMicroseconds = rows.compactMap(\.processorMicroseconds).median
      }
      if row.latencies != nil {
        let latencies = rows.compactMap(\.latencies)
        row.latencies = (latencies.map(\.p50).median, latencies.map(\.p99).median)
      }
      for index in row.comparisons.indices {
        row.comparisons[index].value = rows.map { $0.comparisons[index].value }.median
      }
      return row
    }
  }
}
