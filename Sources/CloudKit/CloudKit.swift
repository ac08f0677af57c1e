@_exported public import Foundation
@_exported public import StratusFoundation
@_exported public import StratusKit

/// The class of the comparisons in predicates. It replaces Foundation's class, because an app
/// cannot make objects of that class on Linux.
///
/// In a file that also imports Foundation, this name is ambiguous. One line in the app's module
/// resolves the ambiguity for all files of the module:
/// `typealias NSComparisonPredicate = CloudKit.NSComparisonPredicate`.
public typealias NSComparisonPredicate = StratusFoundation.NSComparisonPredicate

/// The class of each side of a comparison; see `NSComparisonPredicate`.
public typealias NSExpression = StratusFoundation.NSExpression
