/// Converts between the current user's record name, which the server uses, and
/// `CKCurrentUserDefaultName`, which apps see in its place. It also completes the URLs of shares.
struct UserNaming: Sendable {
  /// The current user's record name; nil if no user is signed in.
  let currentUserRecordName: String?
  /// The scheme in the URLs of shares. The server's responses contain only the host.
  var scheme = "https"

  /// Returns the name that an app sees for a user's record name. A nil or empty name means the
  /// current user.
  func shown(_ userRecordName: String?) -> String {
    guard let name = userRecordName, !name.isEmpty, name != currentUserRecordName else {
      return CKCurrentUserDefaultName
    }
    return name
  }

  /// Returns the server's record name for a name that an app uses.
  func known(_ recordName: String) -> String {
    guard recordName == CKCurrentUserDefaultName else { return recordName }
    return currentUserRecordName ?? recordName
  }

  /// Returns the ID that an app sees for a user's record; nil if the record name is empty.
  func shownID(_ userRecordName: String) -> CKRecord.ID? {
    userRecordName.isEmpty ? nil : CKRecordID(recordName: shown(userRecordName))
  }
}
