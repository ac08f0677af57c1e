public import Foundation

extension NSKeyedUnarchiver {
  /// Decodes the array at the root of an archive. Foundation on Linux does not have this method.
  ///
  /// - Parameters:
  ///   - type: the class of the elements.
  ///   - data: an array that `NSKeyedArchiver` has archived.
  /// - Throws: Foundation's error if the archive is damaged or contains other classes.
  public static func unarchivedArrayOfObjects<Element: NSObject & NSCoding>(
    ofClass type: Element.Type, from data: Data
  ) throws -> [Element]? {
    try unarchivedObject(ofClasses: [NSArray.self, type], from: data) as? [Element]
  }

  /// Decodes the array at the root of an archive. Foundation on Linux does not have this method.
  ///
  /// - Parameter classes: the classes of the elements.
  /// - Throws: Foundation's error if the archive is damaged or contains other classes.
  public static func unarchivedArrayOfObjects(
    ofClasses classes: [AnyClass], from data: Data
  ) throws -> [Any]? {
    try unarchivedObject(ofClasses: classes + [NSArray.self], from: data) as? [Any]
  }
}
