/// The merge of a note that two devices have changed.
public enum MergeRule {
  /// The rule in words, for the user.
  public static let words = """
    A note that only one device changed is taken as it is there.
    If two devices changed it, both texts are kept, one under the other: first the one that \
    reached the server first.
    Changing a note beats deleting it. What another device deleted lies in the folder "Deleted".
    """

  /// The separator between the two texts.
  static let seam = "\n\n(also written on another device:)\n"

  /// - Parameters:
  ///   - mine: the text here; nil: there is no note.
  ///   - theirs: the text on the server; nil: there is no note.
  ///   - known: the text that this device knew on the server, and the text it has sent since.
  /// - Returns: the merged text; nil: no note.
  static func merge(mine: String?, theirs: String?, known: BackupState.Known?) -> String? {
    if mine == theirs || theirs == known?.text { return mine }
    // If the server's text is one that this device has sent, there is no conflict, even if the
    // answer was lost.
    if let theirs, theirs == known?.sent { return mine }
    if mine == known?.text { return theirs }
    guard let mine, let theirs else { return mine ?? theirs }
    return theirs + seam + mine
  }
}
