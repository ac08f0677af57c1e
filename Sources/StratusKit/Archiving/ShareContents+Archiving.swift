import Foundation

/// Archives a share under the keys of Apple's archives, so that one decoder reads both formats.
extension ShareContents {
  private enum CodingKey {
    static let publicPermission = "PublicPermission"
    static let participants = "Participants"
    static let saved = "LastFetchedParticipants"
    static let url = "URL"
    static let rootRecordID = "RootRecordID"
    /// NB: Apple's archives do not have these keys, and identify the current user's participant
    /// in another way.
    static let savedPermission = "StratusSavedPublicPermission"
    static let currentUserID = "StratusCurrentUserParticipantID"
    static let secret = "StratusShareSecret"
  }

  init(coder: NSCoder) {
    self.init(rootRecordID: coder.object(CodingKey.rootRecordID, of: CKRecordID.self))
    publicPermission = coder.permission(CodingKey.publicPermission) ?? .none
    savedPermission = coder.permission(CodingKey.savedPermission) ?? publicPermission
    currentUserID = coder.string(CodingKey.currentUserID)
    secret = coder.string(CodingKey.secret)
    url = coder.object(CodingKey.url, of: NSURL.self)
      .flatMap { URLComponents(url: $0 as URL, resolvingAgainstBaseURL: true) }
      .flatMap { parts in
        var parts = parts
        parts.fragment = nil
        return parts.url
      }
    if let found = coder.list(CodingKey.participants, of: CKShare.Participant.self), !found.isEmpty
    {
      participants = found
    }
    saved = coder.list(CodingKey.saved, of: CKShare.Participant.self) ?? []
    access = AccessLists(coder: coder)
    // NB: if a participant is in both lists or in several shares, the decoder returns one object
    // for all of them. Each list therefore needs its own copies.
    self = independent
  }

  func encode(with coder: NSCoder) {
    coder.encode(present: rootRecordID, forKey: CodingKey.rootRecordID)
    coder.encode(publicPermission.rawValue, forKey: CodingKey.publicPermission)
    coder.encode(savedPermission.rawValue, forKey: CodingKey.savedPermission)
    coder.encode(
      present: currentUserID.map(NSString.init(string:)), forKey: CodingKey.currentUserID)
    coder.encode(present: secret.map(NSString.init(string:)), forKey: CodingKey.secret)
    coder.encode(present: url.map { $0 as NSURL }, forKey: CodingKey.url)
    coder.encode(list: participants, forKey: CodingKey.participants)
    coder.encode(list: saved, forKey: CodingKey.saved)
    access.encode(with: coder)
  }
}

extension NSCoder {
  fileprivate func permission(_ key: String) -> CKShare.ParticipantPermission? {
    integer(key).flatMap(CKShare.ParticipantPermission.init)
  }
}
