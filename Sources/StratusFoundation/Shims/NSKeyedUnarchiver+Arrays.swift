public import Foundation

extension NSKeyedUnarchiver {
  /// The array that an archive has as its root; Foundation on Linux lacks this method.
  ///
  /// - Parameters:
  ///   - type: the class of the elements.
  ///   - data: what `NSKeyedArchiver` made of an array.
  /// - Throws: what Foundation throws of an archive that is damaged, or has other classes.
  public static func unarchivedArrayOfObjects<Element: NSObject & NSCoding>(
    ofClass type: Element.Type, from data: Data
  ) throws -> [Element]? {
    try unarchivedObject(ofClasses: [NSArray.self, type], from: data) as? [Element]
  }

  /// The array that an archive has as its root; Foundation on Linux lacks this method.
  ///
  /// - Parameter classes: those of the elements.
  /// - Throws: what Foundation throws of an archive that is damaged, or has other classes.
  public static func unarchivedArrayOfObjects(
    ofClasses classes: [AnyClass], from data: Data
  ) throws -> [Any]? {
    try unarchivedObject(ofClasses: classes + [NSArray.self], from: data) as? [Any]
  }
}
