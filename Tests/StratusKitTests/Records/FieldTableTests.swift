import Testing

@testable import StratusKit

@Suite struct FieldTables {
  private static let names = ["b", "a", "b1"]

  /// Runs every sequence of five steps that set and remove values.
  @Test
  func `a field table has the values of a dictionary with the same changes, sorted by name`() {
    let choices = Self.names.count * 2
    for way in 0..<(choices * choices * choices * choices * choices) {
      var table = FieldTable<Int>()
      var dictionary: [String: Int] = [:]
      var rest = way
      for step in 1...5 {
        let name = Self.names[rest % choices / 2]
        let value = rest % 2 == 0 ? step : nil
        table[name] = value
        dictionary[name] = value
        rest /= choices
      }
      let sorted = dictionary.sorted { $0.key < $1.key }
      #expect(table.keys == sorted.map(\.key), "way \(way)")
      #expect(table.values == sorted.map(\.value), "way \(way)")
      #expect(Self.names.map { table[$0] } == Self.names.map { dictionary[$0] }, "way \(way)")
      #expect(table.isEmpty == dictionary.isEmpty, "way \(way)")
    }
  }

  @Test func `filtered and mapped field tables keep the order of the names`() {
    var table = FieldTable<Int>()
    for (value, name) in ["c", "a", "d", "b"].enumerated() { table[name] = value }
    #expect(table.filter { $0.value > 0 }.map(\.key) == ["a", "b", "d"])
    #expect(table.filter { $0.value > 0 }["d"] == 2)
    #expect(table.mapValues { -$0 }.map(\.value) == [-1, -3, 0, -2])
  }

  @Test func `canonically equivalent field names are one field`() {
    var table = FieldTable<Int>()
    table["caf\u{e9}"] = 1
    table["cafe\u{301}"] = 2
    #expect(table.values == [2])
  }
}
