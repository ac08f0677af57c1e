@_exported public import Foundation
@_exported public import StratusFoundation
@_exported public import StratusKit

/// The class that predicates are made of here, as Foundation's cannot be made on Linux.
///
/// A file that imports Foundation, too, and names the type finds both. One line in the app's module
/// decides for all its files: `typealias NSComparisonPredicate = CloudKit.NSComparisonPredicate`.
public typealias NSComparisonPredicate = StratusFoundation.NSComparisonPredicate

/// The class that the sides of a comparison have; see `NSComparisonPredicate`.
public typealias NSExpression = StratusFoundation.NSExpression
