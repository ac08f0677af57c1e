import Foundation
import StratusFoundation
import Testing

@Suite struct PredicateObjects {
  private static let formats = [
    "title == %@", "NOT title == %@", "title == %@ AND n > 3", "title == %@ OR #in IN {1, 2}",
    "ANY tags == %@", "title BEGINSWITH[cd] %@", "$x.name == %@",
    "SUBQUERY(tags, $t, $t == %@).@count > 0", "NOT (title == %@ AND n - 1 > 3)",
    "distanceToLocation:fromLocation:(place, %@) < 5", "a == 'x' b %@",
  ]

  private func archived(_ predicate: NSPredicate) throws -> NSPredicate? {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: predicate, requiringSecureCoding: true)
    return try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
  }

  @Test(arguments: formats)
  func `a predicate is unchanged after copying and archiving`(format: String) throws {
    let predicate = NSPredicate(format: format, "it's \"x\"")
    let copy = try #require(predicate.copy() as? NSPredicate)
    #expect(copy.isEqual(predicate))
    let back = try #require(try archived(predicate))
    #expect(back.isEqual(predicate))
    #expect(back.hash == predicate.hash)
    #expect(ParsedPredicate(back).text == ParsedPredicate(predicate).text)
    #expect(!back.isEqual(NSPredicate(format: format + " AND z == 1", "it's \"x\"")))
  }

  @Test(
    arguments: [
      "x" as any Sendable, 3, 2.5, true, Date(timeIntervalSinceReferenceDate: 7.25), Data([1, 2]),
      ["a", "b"], [1, 2],
    ])
  func `the arguments of a predicate are unchanged after archiving`(value: any Sendable) throws {
    let predicate = NSPredicate(format: "a == %@", argumentArray: [value])
    #expect(try #require(try archived(predicate)).isEqual(predicate))
    #expect(!predicate.isEqual(NSPredicate(format: "a == 'other'")))
  }

  @Test
  func `constants and an app's compound predicates are unchanged after archiving`() throws {
    #expect(try archived(NSPredicate(value: true)) == NSPredicate(value: true))
    #expect(try archived(NSPredicate(value: false)) == NSPredicate(value: false))
    let compound = NSCompoundPredicate(
      andPredicateWithSubpredicates: [NSPredicate(format: "a == 1"), NSPredicate(value: true)])
    let back = try #require(try archived(compound) as? NSCompoundPredicate)
    #expect(back.subpredicates.count == 2)
    #expect(ParsedPredicate(back).text == "a == 1 AND TRUEPREDICATE")
  }

  @Test func `a predicate with a block cannot be read after archiving`() throws {
    let block = NSPredicate { _, _ in true }
    guard case .opaque = ParsedPredicate(block) else {
      Issue.record("a block was taken for something else")
      return
    }
    guard case .unreadable? = try archived(block).map(ParsedPredicate.init) else {
      Issue.record("a block came back")
      return
    }
  }

  @Test func `a parsed predicate has the classes that Apple's parser creates`() throws {
    let comparison = try #require(
      NSPredicate(format: "a == 1") as? StratusFoundation.NSComparisonPredicate)
    #expect(comparison.predicateOperatorType == .equalTo)
    #expect(comparison.leftExpression.keyPath == "a")
    #expect(comparison.rightExpression.constantValue as? Int == 1)
    let compound = try #require(NSPredicate(format: "a == 1 AND b == 2") as? NSCompoundPredicate)
    #expect(compound.compoundPredicateType == .and)
    #expect(compound.subpredicates.count == 2)
    let not = try #require(NSPredicate(format: "NOT a == 1") as? NSCompoundPredicate)
    #expect(not.compoundPredicateType == .not)
    #expect(NSPredicate(format: "TRUEPREDICATE") == NSPredicate(value: true))
    #expect(NSCompoundPredicate(format: "a == 1").subpredicates.count == 1)
  }

  @Test func `a comparison predicate can be built from expressions`() {
    let built = NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: "tags"),
      rightExpression: NSExpression(forConstantValue: "x"), modifier: .any, type: .beginsWith,
      options: [.caseInsensitive])
    #expect(ParsedPredicate(built).text == "ANY tags BEGINSWITH[c] \"x\"")
    #expect(built.isEqual(NSPredicate(format: "ANY tags BEGINSWITH[c] %@", "x")))
    #expect(built.evaluate(with: ["tags": ["Xa"]]))
  }

  @Test func `changes of a compound predicate do not affect its copy`() throws {
    let compound = NSCompoundPredicate(
      andPredicateWithSubpredicates: [NSPredicate(format: "a == 1")])
    let copy = compound.independentCopy
    compound.subpredicates = []
    #expect(ParsedPredicate(copy).text == "a == 1")
  }
}
