import Foundation

/// A chart of a run, with a bar for each figure that has a floor (a simpler measurement for
/// comparison).
///
/// The length of a bar is the figure divided by its floor. A line at 1 shows the floor, and a small
/// mark shows the goal.
struct Chart {
  let run: RecordedRun

  private static let rowHeight = 30
  private static let barLeft = 330
  private static let barWidth = 300
  private static let width = 900
  private static let top = 64
  /// The largest ratio that the bars can show.
  private static let ratioMax = 2.5

  /// The chart as SVG text.
  var svg: String {
    let bars = run.jobs.flatMap(Self.bars)
    let floorX = Self.x(1)
    let bottom = Self.top + bars.count * Self.rowHeight
    let height = bottom + 58
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" \
      font-family="ui-sans-serif, system-ui, sans-serif" font-size="14" role="img" \
      aria-label="Speed of Stratus compared with the floors of the machine">
      """, Self.style,
      """
      <rect class="page" width="\(Self.width)" height="\(height)" rx="8"/>
      <text class="title" x="24" y="32">Ratio to the floor on the same machine</text>
      <line class="floor" x1="\(floorX)" y1="\(Self.top - 14)" x2="\(floorX)" y2="\(bottom)"/>
      <text class="note" x="\(floorX)" y="\(Self.top - 20)" text-anchor="middle">floor</text>
      """,
    ]
    for (row, bar) in bars.enumerated() {
      lines.append(bar.svg(y: Self.top + row * Self.rowHeight))
    }
    for (row, note) in Self.notes(of: run).enumerated() {
      let y = bottom + 24 + row * 18
      lines.append("<text class=\"note\" x=\"24\" y=\"\(y)\">\(Self.escaped(note))</text>")
    }
    return (lines + ["</svg>", ""]).joined(separator: "\n")
  }

  /// Writes the chart into a file.
  ///
  /// - Throws: Foundation's file errors.
  func write(to file: String) throws { try Data(svg.utf8).write(to: URL(fileURLWithPath: file)) }

  private static let style = """
    <style>
      .page { fill: #ffffff } .title { fill: #1f2328; font-weight: 600 } .job { fill: #1f2328 }
      .note { fill: #59636e; font-size: 12px } .bar { fill: #4c8dda } .figure { fill: #1f2328 }
      .floor { stroke: #59636e; stroke-dasharray: 3 3 } .goal { stroke: #d1242f; stroke-width: 2 }
      @media (prefers-color-scheme: dark) {
        .page { fill: #0d1117 } .title, .job, .figure { fill: #e6edf3 } .note { fill: #9198a1 }
        .bar { fill: #316dca } .floor { stroke: #9198a1 } .goal { stroke: #ff7b72 }
      }
    </style>
    """

  private static func notes(of run: RecordedRun) -> [String] {
    let hasGoals = run.jobs.contains { $0.comparisons.contains { $0.atLeast != nil } }
    return [
      "H: the HTTP framework answers 100 fixed bytes. S1, S200: raw SQLite, 1 and 200 rows in a "
        + "transaction. SS: a raw scan." + (hasGoals ? " Red: the goal." : ""),
      "\(run.machine.cores) cores (\(run.machine.model)), shared with the load; the median of "
        + "\(run.machine.rounds) rounds.",
    ]
  }

  /// One bar of the chart, with its texts.
  private struct Bar {
    let job: String
    let ratio: Double
    let goal: Double?
    let figure: String

    func svg(y: Int) -> String {
      let middle = y + 19
      var parts = [
        "<text class=\"job\" x=\"24\" y=\"\(middle)\">\(Chart.escaped(job))</text>",
        """
        <rect class="bar" x="\(Chart.barLeft)" y="\(y + 6)" rx="2" height="18" \
        width="\(Chart.x(ratio) - Chart.barLeft)"/>
        """,
        """
        <text class="figure" x="\(Chart.barLeft + Chart.barWidth + 16)" y="\(middle)">\
        \(Chart.escaped(figure))</text>
        """,
      ]
      if let goal {
        let x = Chart.x(goal)
        parts.append(
          "<line class=\"goal\" x1=\"\(x)\" y1=\"\(y + 4)\" x2=\"\(x)\" y2=\"\(y + 26)\"/>")
      }
      return parts.joined(separator: "\n")
    }
  }

  /// Returns a bar for each comparison of the job with a floor. All other comparisons have no bar.
  private static func bars(of job: RecordedRun.Job) -> [Bar] {
    job.comparisons.filter { $0.name.contains(#/^of (?:H|S1|S200|SS)$/#) }.map { comparison in
      let ratio = "\(String(format: "%.2f", comparison.value)) \(comparison.name)"
      let figure = job.figure.map { ", \(grouped($0)) \(job.unit)" } ?? ""
      return Bar(
        job: job.job, ratio: comparison.value, goal: comparison.atLeast, figure: ratio + figure)
    }
  }

  /// Formats a whole number with commas.
  private static func grouped(_ number: Double) -> String {
    number.formatted(.number.locale(Locale(identifier: "en_US")).precision(.fractionLength(0)))
  }

  private static func x(_ ratio: Double) -> Int {
    barLeft + Int((Double(barWidth) * min(max(ratio, 0), ratioMax) / ratioMax).rounded())
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
