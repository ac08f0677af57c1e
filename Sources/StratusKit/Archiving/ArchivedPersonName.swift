import Foundation

/// A person's name in an archive, from Stratus or from Apple's framework.
///
/// NB: Foundation on Linux cannot decode a name with a missing part, and then the decoding of the
/// whole archive fails. Apple's archives keep the parts in a separate object.
final class ArchivedPersonName: NSObject, NSSecureCoding {
  static let className = "NSPersonNameComponents"

  let components: PersonNameComponents

  static var supportsSecureCoding: Bool { true }

  init?(coder: NSCoder) {
    let nested = coder.object("NS.nameComponentsPrivate", of: ArchivedPersonName.self)
    var components = nested?.components ?? PersonNameComponents()
    components.namePrefix = coder.string("NS.namePrefix") ?? components.namePrefix
    components.givenName = coder.string("NS.givenName") ?? components.givenName
    components.middleName = coder.string("NS.middleName") ?? components.middleName
    components.familyName = coder.string("NS.familyName") ?? components.familyName
    components.nameSuffix = coder.string("NS.nameSuffix") ?? components.nameSuffix
    components.nickname = coder.string("NS.nickname") ?? components.nickname
    self.components = components
  }

  /// Foundation's own class encodes names, so this method is never called.
  func encode(with coder: NSCoder) {}
}

extension NSCoder {
  /// Reads a person's name; nil if there is none.
  func personName(_ key: String) -> PersonNameComponents? {
    guard let coder = self as? NSKeyedUnarchiver else { return nil }
    let names = [ArchivedPersonName.className, "_NSPersonNameComponentsData"]
    for name in names { coder.setClass(ArchivedPersonName.self, forClassName: name) }
    defer { for name in names { coder.setClass(nil, forClassName: name) } }
    return coder.object(key, of: ArchivedPersonName.self)?.components
  }
}
