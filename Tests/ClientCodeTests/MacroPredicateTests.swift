import CloudKit
import Foundation
import Testing

/// The use of `#Predicate` for records.
@Suite struct MacroPredicates {
  private let title = "x"
  private let date = Date(timeIntervalSince1970: 1000)

  @Test func `macro predicates on fields and dates become predicate formats`() throws {
    let (title, date, names) = (title, date, ["x", "y"])
    let pairs: [(Predicate<CKRecord>, NSPredicate)] = [
      (#Predicate<CKRecord> { $0["title"] == title }, NSPredicate(format: "title == 'x'")),
      (
        #Predicate<CKRecord> { $0["title"] as? String == title },
        NSPredicate(format: "title == 'x'")
      ),
      (
        #Predicate<CKRecord> { $0["title"] != title && ($0["n"] ?? 0) > 3 },
        NSPredicate(format: "title != 'x' AND n > 3")
      ),
      (#Predicate<CKRecord> { ($0["n"] ?? 0) != 3 }, NSPredicate(format: "n != 3")),
      (
        #Predicate<CKRecord> { $0.creationDate == date || !($0["n"] == 3) },
        NSPredicate(format: "creationDate == %@ OR NOT n == 3", date as NSDate)
      ),
      (
        #Predicate<CKRecord> { names.contains($0["title"] ?? "") },
        NSPredicate(format: "title IN %@", names)
      ),
      (
        #Predicate<CKRecord> { ($0["title"] ?? "").starts(with: title) },
        NSPredicate(format: "title BEGINSWITH 'x'")
      ),
    ]
    for (macro, format) in pairs {
      #expect(try #require(NSPredicate(macro)) == format, "\(format)")
    }
  }

  @Test
  func `a macro predicate that differs from a query for records without the field has no format`() {
    #expect(NSPredicate(#Predicate<CKRecord> { ($0["n"] ?? 0) < 3 }) == nil)
    #expect(NSPredicate(#Predicate<CKRecord> { ($0["n"] ?? 3) != 3 }) == nil)
    #expect(NSPredicate(#Predicate<CKRecord> { !(($0["n"] ?? 0) > 3) }) == nil)
  }

  @Test func `a macro predicate can be evaluated on a record in memory`() throws {
    let record = CKRecord(recordType: "Note")
    record["title"] = "x"
    record["n"] = 5
    #expect(try #Predicate<CKRecord> { $0["title"] == "x" && $0["n"] == 5 }.evaluate(record))
    #expect(try !#Predicate<CKRecord> { $0["title"] == "y" }.evaluate(record))
  }
}
