import Foundation
import StratusArchive

/// Which of this module's classes archives hold, and under which names they are read.
package enum ArchiveRegistration {
  /// Has the classes' names known; called before `main`, by the framework.
  package static func register() {
    ArchiveName.location.register(CLLocation.self)
    ArchiveName.predicateComparison.register(NSComparisonPredicate.self)
    // Their names in archives until November 2026.
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
