public import StratusFoundation

/// Predicates and sort descriptors can look into records, by the names of fields and properties.
extension CKRecord: PredicateSubject {}
