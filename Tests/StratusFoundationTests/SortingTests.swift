import Foundation
import StratusFoundation
import Testing

@Suite struct Sorting {
  @Test func `a sort descriptor with a key sorts dictionaries`() {
    let rows: [[String: Any]] = [["n": 2, "s": "b"], ["n": 1, "s": "a"], ["s": "c"]]
    let ascending = NSSortDescriptor(key: "n", ascending: true)
    #expect(ascending.compare(rows[0], to: rows[1]) == .orderedDescending)
    #expect(ascending.compare(rows[2], to: rows[1]) == .orderedAscending)
    #expect(ascending.compare(rows[2], to: rows[2]) == .orderedSame)
    let descending = NSSortDescriptor(key: "s", ascending: false)
    #expect(descending.compare(rows[0], to: rows[1]) == .orderedAscending)
  }

  @Test func `a sort descriptor keeps its key when it is copied or archived`() throws {
    let descriptor = NSSortDescriptor(key: "title", ascending: false)
    #expect(descriptor.key == "title")
    #expect((descriptor.copy() as? NSSortDescriptor)?.key == "title")
    #expect(descriptor == NSSortDescriptor(key: "title", ascending: false))
    #expect(descriptor != NSSortDescriptor(key: "title", ascending: true))
    #expect(descriptor != NSSortDescriptor(key: "name", ascending: false))
    #expect((descriptor.reversedSortDescriptor as? NSSortDescriptor)?.ascending == true)
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: descriptor, requiringSecureCoding: true)
    let back = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSSortDescriptor.self, from: data)
    #expect(back == descriptor)
  }

  @Test
  func `a sort descriptor with the key path of an optional treats nil as the smallest value`() {
    let people = [5.0, nil, 2].map { Person($0.map(Date.init(timeIntervalSince1970:))) }
    let orders: [(Bool, [Double?])] = [(true, [nil, 2, 5]), (false, [5, 2, nil])]
    for (isAscending, expected) in orders {
      let descriptor = NSSortDescriptor(keyPath: \Person.born, ascending: isAscending)
      let sorted = NSArray(array: people).sortedArray(using: [descriptor])
      let dates = sorted.map { ($0 as? Person)?.born?.timeIntervalSince1970 }
      #expect(dates == expected)
    }
  }

  @Test func `a sort descriptor whose key path has no string key has no key`() {
    #expect(NSSortDescriptor(keyPath: \NSString.length, ascending: true).key == nil)
    #expect(NSSortDescriptor(key: nil, ascending: true).key == nil)
  }
}

private final class Person: NSObject {
  let born: Date?

  init(_ born: Date?) { self.born = born }
}
