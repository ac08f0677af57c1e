/// Compares JSON values with their shapes, for tests.
package enum ShapeCheck {
  /// The paths of all endpoints with a shape.
  package static var paths: [String] { WireShapes.rows.map(\.path) }

  /// Returns the first difference between the body of a request and its shape, or nil.
  package static func faultOfRequest(_ body: JSONView, to path: String) -> String? {
    guard let row = WireShapes.rows.first(where: { $0.path == path }) else {
      return "the endpoint has no shape"
    }
    return fault(body, row.request, at: "")
  }

  /// Returns the first difference between an answer and its shape, or nil.
  package static func faultOfAnswer(_ body: JSONView, to path: String, isError: Bool) -> String? {
    if isError { return fault(body, .reference("Error"), at: "") }
    guard let row = WireShapes.rows.first(where: { $0.path == path }) else {
      return "the endpoint has no shape"
    }
    return fault(body, row.answer, at: "")
  }

  /// Describes the faults of the shapes themselves: the texts that cannot be read, and the names of
  /// schemas that do not exist.
  package static var faults: [String] {
    let names = Set(WireShapes.schemas.map(\.name))
    let shapes =
      WireShapes.schemas.map { ($0.name, $0.shape) }
      + WireShapes.rows.flatMap { [($0.path, $0.request), ($0.path, $0.answer)] }
    return shapes.flatMap { place, shape -> [String] in
      if shape == .any { return ["\(place) cannot be read"] }
      return references(shape).filter { !names.contains($0) }.map { "\(place) names \($0)" }
    }
  }

  private static func references(_ shape: Shape) -> [String] {
    switch shape {
    case .string, .int, .number, .bool, .any, .word: []
    case .reference(let name): [name]
    case .list(let inner), .map(let inner): references(inner)
    case .object(let members): members.flatMap { references($0.shape) }
    case .choice(let shapes): shapes.flatMap(references)
    }
  }

  private static func fault(_ value: JSONView, _ shape: Shape, at place: String) -> String? {
    switch shape {
    case .any: return nil
    case .string: return value.string == nil ? "\(place) is no string" : nil
    case .word(let word): return value.string == word ? nil : "\(place) is not '\(word)'"
    case .int: return value.int64 == nil ? "\(place) is no whole number" : nil
    case .number: return value.double == nil ? "\(place) is no number" : nil
    case .bool: return value.bool == nil ? "\(place) is neither true nor false" : nil
    case .reference(let name):
      guard let schema = WireShapes.schemas.first(where: { $0.name == name }) else {
        return "\(place): no schema has the name \(name)"
      }
      return fault(value, schema.shape, at: place)
    case .choice(let shapes):
      var faults: [String] = []
      for shape in shapes {
        guard let fault = fault(value, shape, at: place) else { return nil }
        faults.append(fault)
      }
      return faults.joined(separator: "; ")
    case .list(let element):
      guard value.isArray else { return "\(place) is no array" }
      for (index, item) in value.elements.enumerated() {
        if let fault = fault(item.value, element, at: "\(place)[\(index)]") { return fault }
      }
      return nil
    case .map(let element):
      guard value.isObject else { return "\(place) is no object" }
      for item in value.members {
        if let fault = fault(item.value, element, at: "\(place).\(item.key)") { return fault }
      }
      return nil
    case .object(let members):
      guard value.isObject else { return "\(place) is no object" }
      for item in value.members {
        guard let member = members.first(where: { $0.key == item.key }) else {
          return "\(place).\(item.key) is not in the shape"
        }
        if item.value.isNull { continue }
        if let fault = fault(item.value, member.shape, at: "\(place).\(item.key)") { return fault }
      }
      for member in members where member.isRequired {
        if !value.members.contains(where: { $0.key == member.key }) {
          return "\(place).\(member.key) is missing"
        }
      }
      return nil
    }
  }
}
