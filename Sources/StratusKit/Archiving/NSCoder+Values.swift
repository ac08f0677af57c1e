import Foundation

/// Decoding methods that return nil or false for a missing key.
///
/// NB: Foundation on Linux ends the process when an object is decoded for a missing key. Every
/// method therefore checks first whether the key exists.
extension NSCoder {
  func object<Value: NSObject & NSCoding>(_ key: String, of type: Value.Type) -> Value? {
    containsValue(forKey: key) ? decodeObject(of: type, forKey: key) : nil
  }

  func string(_ key: String) -> String? {
    object(key, of: NSString.self).map { String(describing: $0) }
  }

  func date(_ key: String) -> Date? {
    object(key, of: NSDate.self).map {
      Date(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate)
    }
  }

  func data(_ key: String) -> Data? {
    object(key, of: NSData.self).map { Data(referencing: $0) }
  }

  func integer(_ key: String) -> Int? {
    containsValue(forKey: key) ? decodeInteger(forKey: key) : nil
  }

  func flag(_ key: String) -> Bool {
    containsValue(forKey: key) && decodeBool(forKey: key)
  }

  /// Encodes an object unless it is nil.
  func encode(present object: (any NSCoding)?, forKey key: String) {
    if let object { encode(object, forKey: key) }
  }
}
