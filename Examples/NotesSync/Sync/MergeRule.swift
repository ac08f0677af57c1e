/// What becomes of a note that two devices have changed.
public enum MergeRule {
  /// The rule, for those it concerns.
  public static let words = """
    A note that only one device changed is taken as it is there.
    If two devices changed it, both texts are kept, one under the other: first the one that \
    reached the server first.
    Changing a note beats deleting it. What another device deleted lies in the folder "Deleted".
    """

  /// Between the two texts.
  static let seam = "\n\n(also written on another device:)\n"

  /// - Parameters:
  ///   - mine: the text here; nil: there is no note.
  ///   - theirs: the text on the server; nil: there is no note.
  ///   - known: what this device knew of the server's text, and what it has sent since.
  /// - Returns: the text from now on; nil: no note.
  static func merge(mine: String?, theirs: String?, known: BackupState.Known?) -> String? {
    if mine == theirs || theirs == known?.text { return mine }
    // What this device has sent itself, though it never heard that it arrived, is no conflict.
    if let theirs, theirs == known?.sent { return mine }
    if mine == known?.text { return theirs }
    guard let mine, let theirs else { return mine ?? theirs }
    return theirs + seam + mine
  }
}
