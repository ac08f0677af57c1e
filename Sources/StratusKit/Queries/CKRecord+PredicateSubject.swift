public import StratusFoundation

/// Lets predicates and sort descriptors read a record's fields and properties by name.
extension CKRecord: PredicateSubject {}
