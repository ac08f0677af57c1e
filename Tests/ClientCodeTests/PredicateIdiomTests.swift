import CloudKit
import CoreLocation
import Foundation
import Testing

/// Predicates and sort descriptors in the form that apps use.
@Suite struct PredicateIdioms {
  private let record: CKRecord = {
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
    record["title"] = "Groceries"
    record["count"] = 5
    record["tags"] = ["red"]
    record["due"] = Date(timeIntervalSince1970: 1000)
    return record
  }()

  @Test func `predicate formats with arguments of every kind compile and evaluate`() {
    let title = "Groceries"
    let date = Date(timeIntervalSince1970: 500)
    let names: [String] = ["Groceries", "Other"]
    let predicates = [
      NSPredicate(format: "title == %@", title),
      NSPredicate(format: "title = %@", "Groceries" as NSString),
      NSPredicate(format: "%K == %@", "title", title),
      NSPredicate(format: "%K == %@", argumentArray: ["title", title]),
      NSPredicate(format: "count > %d AND count < %ld", 3, Int(9)),
      NSPredicate(format: "count == %@", NSNumber(value: 5)),
      NSPredicate(format: "count == %i", Int32(5)),
      NSPredicate(format: "count >= %f", 4.5),
      NSPredicate(format: "due > %@", date as NSDate),
      NSPredicate(format: "due > %@", date as CVarArg),
      NSPredicate(format: "due > %@", NSDate(timeIntervalSince1970: 1)),
      NSPredicate(format: "due >= %@ && due < %@", date as NSDate, Date.distantFuture as NSDate),
      NSPredicate(format: "title IN %@", names),
      NSPredicate(format: "title BEGINSWITH %@", "Gro"),
      NSPredicate(format: "tags CONTAINS %@", "red"),
      NSPredicate(format: "ANY tags = %@", "red"),
      NSPredicate(format: "%@ IN tags", "red"),
      NSPredicate(format: "NOT (title IN %@)", ["x"]),
      NSPredicate(format: "NOT (title IN %@)", [String]()),
      NSPredicate(format: "NOT (title IN %@)", argumentArray: [[String]()]),
      NSPredicate(format: "recordID = %@", CKRecord.ID(recordName: "a")),
      NSPredicate(format: "TRUEPREDICATE"),
      NSPredicate(value: true),
      NSCompoundPredicate(
        andPredicateWithSubpredicates: [
          NSPredicate(format: "title == %@", title), NSPredicate(format: "count == %d", 5),
        ]),
      NSComparisonPredicate(
        leftExpression: NSExpression(forKeyPath: "title"),
        rightExpression: NSExpression(forConstantValue: title), modifier: .direct, type: .equalTo),
    ]
    for predicate in predicates { #expect(predicate.evaluate(with: record), "\(predicate)") }
  }

  @Test func `references, records and locations can be arguments of predicates`() {
    let reference = CKRecord.Reference(record: record, action: .deleteSelf)
    let here = CLLocation(latitude: 1, longitude: 2)
    let radius = 500.0
    let predicates = [
      NSPredicate(format: "owner == %@", reference),
      NSPredicate(format: "owner == %@", record),
      NSPredicate(format: "creatorUserRecordID == %@", record.recordID),
      NSPredicate(format: "distanceToLocation:fromLocation:(location, %@) < %f", here, radius),
      NSPredicate(format: "allTokens TOKENMATCHES[cdl] %@", "milk"),
      NSPredicate(format: "self contains 'milk'"),
    ]
    for predicate in predicates { #expect((predicate.copy() as? NSPredicate) == predicate) }
  }

  @Test func `sort descriptors have the key that the app gave them`() {
    let descriptors = [
      NSSortDescriptor(key: "creationDate", ascending: false),
      NSSortDescriptor(key: "title", ascending: true),
    ]
    #expect(descriptors.map(\.key) == ["creationDate", "title"])
    #expect(descriptors[0].ascending == false)
  }
}
