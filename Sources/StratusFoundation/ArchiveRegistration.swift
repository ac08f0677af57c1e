import Foundation
import StratusArchive

/// Registers the class names that archives contain for the classes of this module.
package enum ArchiveRegistration {
  /// Registers the names. The framework calls this method before `main`.
  package static func register() {
    ArchiveName.location.register(CLLocation.self)
    ArchiveName.predicateComparison.register(NSComparisonPredicate.self)
    // Archives that were written until November 2026 contain these names.
    let former: [(String, AnyClass)] = [
      ("StratusFoundation.FormattedCompoundPredicate", FormattedCompoundPredicate.self),
      ("StratusFoundation.KeySortDescriptor", KeySortDescriptor.self),
      ("StratusFoundation.UnreadablePredicate", UnreadablePredicate.self),
    ]
    for (name, knownClass): (String, AnyClass) in former {
      NSKeyedUnarchiver.setClass(knownClass, forClassName: name)
    }
  }
}
