import CloudKit
import Foundation
import Testing

/// A file that imports Foundation and CloudKit needs this alias, because Foundation's type with
/// this name cannot be created on Linux.
private typealias NSComparisonPredicate = CloudKit.NSComparisonPredicate

/// App code that uses Foundation together with CloudKit.
@Suite struct FoundationIdioms {
  @Test func `predicates can be inspected by their classes`() {
    let predicate = NSPredicate(format: "title == %@ AND NOT (count > 3)", "x")
    var seen: [String] = []
    func inspect(_ predicate: NSPredicate) {
      if let compound = predicate as? NSCompoundPredicate {
        seen.append("\(compound.compoundPredicateType.rawValue)")
        for part in compound.subpredicates as? [NSPredicate] ?? [] { inspect(part) }
      } else if let comparison = predicate as? NSComparisonPredicate {
        let left = comparison.leftExpression
        let right = comparison.rightExpression
        if left.expressionType == .keyPath, right.expressionType == .constantValue {
          seen.append(left.keyPath)
          if let value = right.constantValue { seen.append("\(value)") }
        }
        if comparison.comparisonPredicateModifier == .direct,
          comparison.predicateOperatorType == .equalTo
        {
          seen.append("is")
        }
      }
    }
    inspect(predicate)
    #expect(seen == ["1", "title", "x", "is", "0", "count", "3"])
  }

  @Test func `records can be filled and read by keys`() {
    let record = CKRecord(recordType: "Note")
    record.setValuesForKeys(["title": "x", "count": 3, "gone": NSNull()])
    #expect(record["title"] as? String == "x")
    #expect(record["count"] as? Int == 3)
    let values = record.dictionaryWithValues(forKeys: ["title", "gone", "recordType"])
    #expect(values["title"] as? String == "x")
    #expect(values["gone"] is NSNull)
    #expect(values["recordType"] as? String == "Note")
  }

  @Test func `an array of records can be archived`() throws {
    let records = [CKRecord(recordType: "A"), CKRecord(recordType: "B")]
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: records, requiringSecureCoding: true)
    let read = try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClass: CKRecord.self, from: data)
    #expect(read?.map(\.recordType) == ["A", "B"])
  }

  @Test func `records can be sorted by their dates`() {
    let newest = NSSortDescriptor(keyPath: \CKRecord.creationDate, ascending: false)
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    query.sortDescriptors = [newest]
    #expect(query.sortDescriptors?.first?.ascending == false)
  }

  @Test func `an app can await account changes`() async {
    let name = Notification.Name.CKAccountChanged
    var changes = NotificationCenter.default.notifications(named: name).makeAsyncIterator()
    NotificationCenter.default.post(name: name, object: nil)
    #expect(await changes.next()?.name == name)
  }
}
