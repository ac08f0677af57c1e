/// Who the current user is, so that answers can show `CKCurrentUserDefaultName` in its place.
struct UserNaming: Sendable {
  /// The current user's record name; nil: nobody is signed in.
  let currentUserRecordName: String?

  /// The name an app sees for a user's record name; nil and the empty name are the current user's.
  func shown(_ userRecordName: String?) -> String {
    guard let name = userRecordName, !name.isEmpty, name != currentUserRecordName else {
      return CKCurrentUserDefaultName
    }
    return name
  }

  /// The ID an app sees for a user's record; nil if the server names nobody.
  func shownID(_ userRecordName: String) -> CKRecord.ID? {
    userRecordName.isEmpty ? nil : CKRecordID(recordName: shown(userRecordName))
  }
}
