@testable import StratusWire

/// Parses a JSON text.
func parsed(_ text: String) throws -> JSONView { try JSONView(parsing: Array(text.utf8)) }

/// Encodes a value as JSON text.
func written(_ value: some JSONWritable) -> String {
  String(decoding: value.jsonBytes, as: UTF8.self)
}

/// Decodes a value from JSON text.
func read<Value: JSONReadable>(_ type: Value.Type, _ text: String) throws -> Value {
  try Value(json: parsed(text))
}

/// The reason why a text is refused, or nil if it is accepted.
func refusal<Value>(_ body: () throws -> Value) -> String? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? WireError)?.reason ?? "\(error)"
  }
}

/// Pseudo-random numbers from a seed. Equal seeds give equal numbers.
struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// A create request in Apple's format.
let createRequest = """
  {"zoneID":{"zoneName":"Work"},"atomic":true,
   "operations":[{"operationType":"create","record":{"recordName":"n-1","recordType":"Note",
     "fields":{"title":{"value":"Milk \\u00fc \\ud83d\\ude00","type":"STRING"},
               "tags":{"value":["a","b"],"type":"STRING_LIST"},
               "due":{"value":1767225600000,"type":"TIMESTAMP"},
               "place":{"value":{"latitude":60.17,"longitude":24.94},"type":"LOCATION"}}}}]}
  """
