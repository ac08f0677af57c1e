import Foundation
import Logging
import StratusTesting
import Testing

@testable import StratusServer

@Suite struct `The lines of the log` {
  private static let time: Int64 = 1_795_506_000_123

  private func line(_ format: LogFormat, _ pairs: [(StaticString, String?)] = []) -> String {
    var lines = LogLines(format)
    lines.add(time: Self.time, level: "info", message: "request") { line in
      for (key, value) in pairs { line.pair(key, value) }
      line.pair("status", 200)
    }
    return String(decoding: lines.bytes, as: UTF8.self)
  }

  @Test func `a log line as text has the time, the level, the message and the pairs`() {
    #expect(
      line(.text, [("route", "records/query"), ("user", nil)])
        == "2026-11-24T07:40:00.123Z info request route=records/query status=200\n")
  }

  @Test func `a log line as JSON is one object on one line`() throws {
    let text = line(.json, [("app", "Notes \"1\"\n"), ("user", nil)])
    #expect(text.hasSuffix("}\n") && text.filter { $0 == "\n" }.count == 1)
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(json["time"] as? String == "2026-11-24T07:40:00.123Z")
    #expect(json["level"] as? String == "info")
    #expect(json["message"] as? String == "request")
    #expect(json["app"] as? String == "Notes \"1\"\n")
    #expect(json["status"] as? Int == 200)
    #expect(json.count == 5)
  }

  @Test(arguments: ["a b", "a\nb", "a\"b", "", "a status=500", "a\u{7F}b"])
  func `no value in a log line can look like another line or another value`(_ value: String) {
    let text = line(.text, [("device", value)])
    #expect(text.filter { $0 == "\n" }.count == 1)
    #expect(text.contains("device=\""))
  }

  @Test(arguments: ["a b", "a\nb", "a=b\"", ""])
  func `no key in a log line can look like another line or another key`(_ key: String) {
    var lines = LogLines(.text)
    lines.add(time: Self.time, level: "info", message: "request") { $0.pair(named: key, "v") }
    let text = String(decoding: lines.bytes, as: UTF8.self)
    #expect(text.filter { $0 == "\n" }.count == 1)
    #expect(text.contains(" \"") && text.hasSuffix("\"=v\n"))
  }

  @Test(arguments: LogFormat.allCases)
  func `several log lines have the same bytes together as alone`(_ format: LogFormat) {
    var together = LogLines(format)
    var alone: [UInt8] = []
    for (time, value) in [(Self.time, "a"), (Self.time, "b{"), (Self.time + 1, "")] {
      var one = LogLines(format)
      one.add(time: time, level: "info", message: "m") { $0.pair("key", value) }
      alone += one.bytes
      together.add(time: time, level: "info", message: "m") { $0.pair("key", value) }
    }
    #expect(together.bytes == alone && together.count == 3)
  }

  @Test func `the time in a log line equals the time that Foundation formats`() {
    let seed = UInt64.random(in: .min ... .max)
    var chance = SeededChance(seed: seed)
    let formatter = ISO8601DateFormatter()
    for _ in 0..<2_000 {
      let seconds = Int64.random(in: 0..<4_102_444_800, using: &chance)
      let expected = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
      let text = String(decoding: UTCTime.precise(seconds * 1_000 + 7), as: UTF8.self)
      #expect(text == expected.dropLast() + ".007Z", "seed \(seed)")
    }
  }

  @Test func `the server's log messages are written with their metadata`() throws {
    let pipe = Pipe()
    let output = LogOutput(
      format: .text, file: pipe.fileHandleForWriting.fileDescriptor, now: { Self.time })
    let logger = output.logger(label: "stratus", level: .notice)
    logger.info("left out")
    logger.error("the disk is full", metadata: ["request": "R1"])
    output.write(output.line("info", "request"), isUrgent: false)
    output.flush()
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(
      text == """
        2026-11-24T07:40:00.123Z error the disk is full request=R1
        2026-11-24T07:40:00.123Z info request

        """)
  }
}

@Suite struct `The context of a trace` {
  /// The first example comes from the W3C Recommendation *Trace Context*, section 3.2.
  @Test func `the trace, the span and the flag are read from a traceparent field`() throws {
    let field = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    let context = try #require(TraceContext(field))
    #expect(context.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
    #expect(context.spanID == "00f067aa0ba902b7")
    #expect(context.isSampled)
    #expect(context.field == field)
    #expect(TraceContext(String(field.dropLast()) + "0")?.isSampled == false)
    #expect(TraceContext("01" + field.dropFirst(2) + "-more") != nil)
  }

  @Test(arguments: [
    "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
    "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-zz",
  ])
  func `a malformed traceparent field is ignored`(_ field: String) {
    #expect(TraceContext(field) == nil)
  }
}
