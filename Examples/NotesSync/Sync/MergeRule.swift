/// Merges a note that two devices have changed.
public enum MergeRule {
  /// The rule in words for the user.
  public static let words = """
    If only one device changed a note, the changed version is used.
    If two devices changed a note, both texts are kept, one below the other. The text that \
    reached the server first is the upper one.
    A changed note is kept, even if another device deleted it. Notes that another device deleted \
    are in the folder "Deleted".
    """

  /// The text that separates the two versions in a merged note.
  static let seam = "\n\n(also written on another device:)\n"

  /// Merges the versions of a note.
  ///
  /// - Parameters:
  ///   - mine: the text on this device, or nil if there is no such note.
  ///   - theirs: the text on the server, or nil if there is no such note.
  ///   - known: the text that this device last received from the server, and the text that it
  ///     sent after that.
  /// - Returns: the merged text, or nil if the note is to be deleted.
  static func merge(mine: String?, theirs: String?, known: BackupState.Known?) -> String? {
    if mine == theirs || theirs == known?.text { return mine }
    // If the server has the text that this device sent, there is no conflict. The answer to that
    // request may have been lost.
    if let theirs, theirs == known?.sent { return mine }
    if mine == known?.text { return theirs }
    guard let mine, let theirs else { return mine ?? theirs }
    return theirs + seam + mine
  }
}
