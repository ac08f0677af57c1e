import Foundation
import StratusFoundation
import Testing

private typealias NSComparisonPredicate = StratusFoundation.NSComparisonPredicate
private typealias NSExpression = StratusFoundation.NSExpression

/// Types and methods that Foundation lacks on Linux.
@Suite struct Shims {
  @Test func `an array can be read from an archive`() throws {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: NSArray(array: ["a" as NSString, "b" as NSString]),
      requiringSecureCoding: true)
    let texts = try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClass: NSString.self, from: data)
    #expect(texts == ["a", "b"])
    let all = try NSKeyedUnarchiver.unarchivedArrayOfObjects(
      ofClasses: [NSString.self, NSNumber.self], from: data)
    #expect(all as? [String] == ["a", "b"])
    let numbers = try? NSKeyedUnarchiver.unarchivedArrayOfObjects(
      ofClass: NSNumber.self, from: data)
    #expect(numbers == nil)
  }

  @Test func `an app can await the notifications of one name from one object`() async {
    let center = NotificationCenter()
    let (mine, other) = (Poster(), Poster())
    let name = Notification.Name("changed")
    var all = center.notifications(named: name).makeAsyncIterator()
    var ours = center.notifications(named: name, object: mine).makeAsyncIterator()
    center.post(name: Notification.Name("else"), object: mine)
    center.post(name: name, object: other, userInfo: ["number": 1])
    center.post(name: name, object: mine, userInfo: ["number": 2])
    #expect(await all.next()?.userInfo?["number"] as? Int == 1)
    #expect(await all.next()?.userInfo?["number"] as? Int == 2)
    #expect(await ours.next()?.userInfo?["number"] as? Int == 2)
  }

  @Test func `an app stops awaiting notifications when the task is cancelled`() async {
    let center = NotificationCenter()
    let task = Task {
      var count = 0
      for await _ in center.notifications(named: Notification.Name("never")) { count += 1 }
      return count
    }
    task.cancel()
    #expect(await task.value == 0)
  }

  @Test func `an expression of a parsed predicate has the right type and value`() throws {
    func left(_ format: String) throws -> NSExpression {
      let predicate = NSPredicate(format: format) as NSPredicate
      return try #require(predicate as? NSComparisonPredicate).leftExpression
    }
    #expect(try left("title == 'x'").expressionType == .keyPath)
    #expect(try left("title == 'x'").keyPath == "title")
    #expect(try left("SELF == 'x'").expressionType == .evaluatedObject)
    #expect(try left("$a == 'x'").expressionType == .variable)
    #expect(try left("$a == 'x'").variable == "a")
    #expect(try left("5 == n").expressionType == .constantValue)
    #expect(try left("5 == n").constantValue as? Int == 5)
    let sum = try left("a + 1 == n")
    #expect(sum.expressionType == .function)
    #expect(sum.function == "add:to:")
    #expect(sum.arguments?.map(\.expressionType) == [.keyPath, .constantValue])
    #expect(sum.operand.expressionType == .evaluatedObject)
    let list = try left("{a, 2} == n")
    #expect(list.expressionType == .aggregate)
    #expect((list.collection as? [NSExpression])?.map(\.keyPath) == ["a", ""])
    let query = try left("SUBQUERY(tags, $t, $t == 'x').@count > 0")
    #expect(query.expressionType == .function)
    #expect(query.operand.expressionType == .subquery)
    #expect(query.operand.variable == "t")
    #expect((query.operand.collection as? NSExpression)?.keyPath == "tags")
    #expect(ParsedPredicate(query.operand.predicate).text == "$t == \"x\"")
  }

  @Test func `the expression types have Apple's numbers`() {
    let kinds: [(NSExpression.ExpressionType, UInt)] = [
      (.constantValue, 0), (.evaluatedObject, 1), (.variable, 2), (.keyPath, 3), (.function, 4),
      (.unionSet, 5), (.intersectSet, 6), (.minusSet, 7), (.subquery, 13), (.aggregate, 14),
      (.anyKey, 15), (.block, 19), (.conditional, 20),
    ]
    for (kind, number) in kinds { #expect(kind.rawValue == number) }
  }
}

private final class Poster: Sendable {}
